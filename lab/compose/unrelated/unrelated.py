"""A load that has nothing to do with the system beside it: a server that computes for each request, and a
client that asks it so often a second, whatever the responses take. Prints its port, and ends with its parent's
pipe: `unrelated.py RATE WORK_MS`."""

import hashlib
import http.client
import multiprocessing
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_HOST = "127.0.0.1"
_CLIENTS = 4
_BODY = b"x" * 2000


def _serve(work_ms: float, told) -> None:
    class Handler(BaseHTTPRequestHandler):
        """Computes for about that long on a CPU of its own."""

        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            began = time.thread_time()
            digest = b""
            while (time.thread_time() - began) * 1e3 < work_ms:
                digest = hashlib.sha256(_BODY + digest).digest()
            self.send_response(200)
            self.send_header("Content-Length", str(len(_BODY)))
            self.end_headers()
            self.wfile.write(_BODY)

        def log_message(self, *_) -> None:
            pass

    server = ThreadingHTTPServer((_HOST, 0), Handler)
    told.send(server.server_address[1])
    server.serve_forever()


def _ask(port: int, every_s: float) -> None:
    connection = http.client.HTTPConnection(_HOST, port, timeout=30)
    due = time.monotonic()
    while True:
        due = max(due + every_s, time.monotonic() - 1)
        time.sleep(max(due - time.monotonic(), 0))
        try:
            connection.request("GET", "/")
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            return  # the server was ended


def main() -> None:
    """Serves in a process of its own, asks in this one."""
    rate, work_ms = float(sys.argv[1]), float(sys.argv[2])
    heard, told = multiprocessing.Pipe(duplex=False)
    server = multiprocessing.Process(target=_serve, args=(work_ms, told), daemon=True)
    server.start()
    port = heard.recv()
    for _ in range(_CLIENTS):
        threading.Thread(target=_ask, args=(port, _CLIENTS / rate), daemon=True).start()
    print(port, flush=True)
    # Whoever started this holds the other end: it ends with him, however he ends.
    sys.stdin.buffer.read()
    server.terminate()
    server.join()


if __name__ == "__main__":
    main()
