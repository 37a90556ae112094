"""A server for requests that are no more than bytes: it answers by the path of the first line, with bytes of its own, and
remembers what came, each connection in its order."""
import re
import socket
import socketserver
import threading
import time

HEAD = b"HTTP/1.1 200 Fine\r\nServer: tests\r\nX-Two: 2\r\n\r\n"
ANSWERS = {
    "/plain": [HEAD + b"hello"],
    "/pieces": [HEAD, b"hel", b"lo"],
    "/empty": [HEAD],
    "/nothing": [],
    "/garbage": [b"hello world"],
    "/status": [b"HTTP/1.0 404 Not Found\r\n"],
    "/number": [b"HTTP/1.1 999 What\r\nA: 1\r\n\r\nx"],
    "/lines": [HEAD + b"one\r\ntwo"],
    "/blank": [HEAD + b"\r\none"],
    "/blanks": [HEAD + b"\r\n\r\none"],
    "/lf": [b"HTTP/1.1 201 Made\nA: 1\n\none\ntwo"],
    "/big": [HEAD + b"0123456789" * 1000],
    "/utf8": [HEAD + "grün 你好".encode()],
}


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        self.log = self.server.begin()
        try:
            while self.one():
                pass
        except (ConnectionError, TimeoutError):
            pass

    def one(self):
        """Takes a request and answers; False: nothing more comes."""
        request = b""
        while b"\r\n\r\n" not in request:
            piece = self.request.recv(65536)
            if not piece:
                break
            request += piece
        length = re.search(rb"Content-Length: (\d+)", request)
        head, _, body = request.partition(b"\r\n\r\n")
        while length and len(body) < int(length.group(1)):
            piece = self.request.recv(65536)
            if not piece:
                break
            body += piece
        if not request:
            return False
        shown = body if len(body) < 200 else body[:20] + b"... of %d" % len(body)
        self.log.append(f"{head!r}\n{shown!r}")
        path = head.split(b" ")[1].decode() if b" " in head else ""
        name, _, how = path.partition("?")
        if name == "/never":
            return True
        for number, piece in enumerate(ANSWERS.get(name, [HEAD])):
            if number:
                time.sleep(0.05)
            self.wfile.write(piece)
        if how == "half":
            # Nothing more is said, and everything is heard.
            self.request.shutdown(socket.SHUT_WR)
            return True
        if how == "stays":
            return True
        return False


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    # Connections are read to their end before the test looks.
    daemon_threads = False

    def begin(self):
        with self.lock:
            self.logs.append([])
            return self.logs[-1]

    def handle_error(self, request, client_address):
        """A client that breaks off is none of the test's affairs."""


class RawServer:
    """The server: `raw_port`; nobody listens on `shut_port`."""

    def __enter__(self):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.lock, self.server.logs = threading.Lock(), []
        self.port = self.server.server_address[1]
        self.shut = socket.socket()
        self.shut.bind(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()
        shut_port = self.shut.getsockname()[1]
        self.ports = {str(self.port): "RAWPORT", str(shut_port): "SHUTPORT"}
        self.options = [f"-Jraw_port={self.port}", f"-Jshut_port={shut_port}"]
        return self

    def __exit__(self, *_):
        if self.thread.is_alive():
            self.server.shutdown()
            self.thread.join()
            self.server.server_close()
            self.shut.close()

    def text(self, text):
        for port, name in self.ports.items():
            text = text.replace(port, name)
        return text

    def files(self):
        """What each connection sent."""
        self.__exit__()
        logs = ["\n".join(log) for log in self.server.logs if log]
        return {"raw": self.text("\n\n".join(logs) + "\n")}
