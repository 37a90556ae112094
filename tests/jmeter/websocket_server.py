"""A WebSocket server that does what its clients tell it, frame by frame, and remembers what they sent: handshakes and
frames, each connection in its order.

The path of a handshake says what becomes of it (`answer`). A text that begins with `!` holds orders, divided by `|`
(`Orders`); any other message comes back. A ping brings its pong, a close frame comes back, unless the path forbids it.
"""
import base64
import hashlib
import pathlib
import re
import shutil
import socketserver
import ssl
import struct
import subprocess
import tempfile
import threading
import time
import urllib.parse
import zlib

GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
CODES = {"more": 0, "text": 1, "bin": 2, "close": 8, "ping": 9, "pong": 10}
PROOF = re.compile(r"(Sec-WebSocket-Accept: )[\w+/]{27}=")
NAMES = {code: name for name, code in CODES.items()}


def frame(code, payload, final=True, first_reserved=False):
    head = bytes([code | (0x80 if final else 0) | (0x40 if first_reserved else 0)])
    size = len(payload)
    if size < 126:
        return head + bytes([size]) + payload
    if size < 1 << 16:
        return head + bytes([126]) + struct.pack(">H", size) + payload
    return head + bytes([127]) + struct.pack(">Q", size) + payload


def proof(key):
    return base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()


def refusal(path, query):
    """The response to a handshake that is not taken; None: it is."""
    if path == "/refuse":
        code = query.get("code", ["403"])[0]
        return f"HTTP/1.1 {code} No Way\r\nContent-Length: 0\r\n\r\n"
    if path == "/garbage":
        return "hello\r\n\r\n"
    if path == "/unproven":
        return ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Accept: none\r\n\r\n")
    if path == "/noproof":
        return "HTTP/1.1 101 Switching\r\nUpgrade: WebSocket\r\nConnection: upgrade\r\n\r\n"
    if path == "/noupgrade":
        return "HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\n\r\n"
    if path == "/noconnection":
        return "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\n\r\n"
    if path == "/drop":
        return ""
    return None


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def setup(self):
        if self.server.tls:
            self.request = self.server.tls.wrap_socket(self.request, server_side=True)
        super().setup()

    def handle(self):
        self.log = self.server.begin()
        try:
            if self.switches():
                while self.one():
                    pass
        except (ConnectionError, TimeoutError, ssl.SSLError):
            pass

    def switches(self):
        line = self.rfile.readline().decode("latin-1").strip()
        if not line:
            return False
        self.log.append(line)
        headers = {}
        while text := self.rfile.readline().decode("latin-1").strip():
            name, _, value = text.partition(": ")
            headers[name.lower()] = value
            self.log.append("Sec-WebSocket-Key: *" if name == "Sec-WebSocket-Key" else text)
        target = urllib.parse.urlsplit(line.split(" ")[1])
        self.path, query = target.path, urllib.parse.parse_qs(target.query)
        if self.path == "/never":
            self.rfile.read(1)
            return False
        text = refusal(self.path, query)
        if text is not None:
            self.wfile.write(text.encode())
            return False
        more = "".join(f"{name}\r\n" for name in query.get("header", []))
        self.wfile.write((
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {proof(headers['sec-websocket-key'])}\r\n"
            f"Server: tests\r\n{more}\r\n").encode())
        for order in query.get("first", []):
            self.order(order)
        return True

    def one(self):
        """Takes a frame and does what it says; False: nothing more comes."""
        head = self.rfile.read(2)
        if len(head) < 2:
            return False
        code, size = head[0] & 15, head[1] & 127
        if size == 126:
            size = struct.unpack(">H", self.rfile.read(2))[0]
        elif size == 127:
            size = struct.unpack(">Q", self.rfile.read(8))[0]
        mask = self.rfile.read(4)
        payload = bytes(byte ^ mask[at % 4] for at, byte in enumerate(self.rfile.read(size)))
        shown = payload if size < 200 else payload[:20] + b"... of %d" % size
        self.log.append(f"{NAMES.get(code, code)} {shown!r}")
        if code == CODES["text"] and payload.startswith(b"!"):
            return all(self.order(order) for order in payload[1:].decode().split("|"))
        if code in (CODES["text"], CODES["bin"]):
            self.send(code, payload)
        elif code == CODES["ping"] and self.path != "/nopong":
            self.send(CODES["pong"], payload)
        elif code == CODES["close"]:
            if self.path == "/noclose":
                self.send(CODES["text"], b"not yet")
            else:
                self.send(code, payload)
        return True

    def send(self, code, payload, **how):
        self.wfile.write(frame(code, payload, **how))

    def order(self, order):
        what, _, rest = order.partition(":")
        data = rest.encode()
        if what in ("text", "ping", "pong"):
            self.send(CODES[what], data)
        elif what == "bin":
            self.send(CODES["bin"], bytes.fromhex(rest))
        elif what == "close":
            code, _, reason = rest.partition(":")
            self.send(CODES["close"], (struct.pack(">H", int(code)) if code else b"") + reason.encode())
        elif what == "part":
            self.send(CODES["text"], data, final=False)
        elif what == "partbin":
            self.send(CODES["bin"], bytes.fromhex(rest), final=False)
        elif what == "more":
            self.send(0, data, final=False)
        elif what == "last":
            self.send(0, data)
        elif what == "long":
            self.send(CODES["text"], b"x" * int(rest))
        elif what == "deflated":
            self.send(CODES["text"], self.deflated(data), first_reserved=True)
        elif what == "wait":
            time.sleep(int(rest) / 1000)
        elif what == "cut":
            self.wfile.write(frame(CODES["text"], data)[:-2])
            return False
        elif what == "drop":
            return False
        return True

    def deflated(self, data):
        packer = zlib.compressobj(wbits=-15)
        return (packer.compress(data) + packer.flush(zlib.Z_SYNC_FLUSH))[:-4]


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    # Connections are read to their end before the test looks.
    daemon_threads = False
    request_queue_size = 128

    def __init__(self, tls=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.tls = tls
        self.port = self.server_address[1]
        self.lock = threading.Lock()
        self.logs = []
        self.thread = threading.Thread(target=self.serve_forever, args=(0.02,))
        self.thread.start()

    def begin(self):
        with self.lock:
            self.logs.append([])
            return self.logs[-1]

    def end(self):
        if self.thread.is_alive():
            self.shutdown()
            self.thread.join()
            self.server_close()

    def handle_error(self, request, client_address):
        """A client that breaks off is none of the test's affairs."""


class WebSockets:
    """Two of them, one with TLS: `ws_port` and `wss_port`."""

    def __enter__(self):
        if not shutil.which("openssl"):
            raise RuntimeError("openssl is not installed: run tools/setup.sh test")
        self.folder = tempfile.TemporaryDirectory()
        folder = pathlib.Path(self.folder.name)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", "/CN=localhost", "-keyout", folder / "key", "-out", folder / "cert"],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "cert", folder / "key")
        self.servers = {"ws": Server(), "wss": Server(context)}
        self.options = [f"-J{name}_port={server.port}" for name, server in self.servers.items()]
        return self

    def __exit__(self, *_):
        for server in self.servers.values():
            server.end()
        self.folder.cleanup()

    def text(self, text):
        for name, server in self.servers.items():
            text = text.replace(str(server.port), f"{name.upper()}PORT")
        return PROOF.sub(r"\1*", text)

    def files(self):
        """What each connection sent."""
        self.__exit__()
        found = {}
        for name, server in self.servers.items():
            logs = ["\n".join(log) for log in server.logs if log]
            if logs:
                found[name] = self.text("\n\n".join(logs) + "\n")
        return found
