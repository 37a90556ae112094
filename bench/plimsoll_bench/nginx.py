"""The server under load: nginx with a configuration of our own on free ports."""

import re
import socket
import subprocess
import time
from pathlib import Path

from . import parse, proc

BODY = "x" * 200

# The answers of the login flow: a token by JSON path, a hidden field by regular expression.
LOGIN = '{"user":{"id":42,"name":"ada"},"session":{"token":"t-81c0f2","ttl_s":1800}}'
CART = ('<html><body><h1>2 items</h1><form action="/flow/order">'
        '<input type="hidden" name="csrf" value="c-5d2e77"/></form></body></html>')
ORDER = '{"order":1001,"state":"accepted"}'

# 100 KB that no record of TLS and no buffer holds.
LARGE = b"0123456789abcdefghijklmnopqrstuvwxyz" * 2845

CONFIG = """\
daemon off;
worker_processes 1;
worker_rlimit_nofile {files};
pid {dir}/nginx.pid;
error_log stderr error;
events {{ worker_connections {connections}; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    keepalive_timeout 600s;
    client_body_temp_path {dir}/body;
    proxy_temp_path {dir}/proxy;
    fastcgi_temp_path {dir}/fastcgi;
    uwsgi_temp_path {dir}/uwsgi;
    scgi_temp_path {dir}/scgi;
    default_type text/plain;
    server {{
        listen 127.0.0.1:{http} backlog=4096;
        location / {{ return 200 "{body}"; }}
        location = /large {{ alias {dir}/large; }}
        location = /flow/login {{
            default_type application/json;
            add_header Set-Cookie "sid=7f0c2a9e51d84b36; Path=/; HttpOnly";
            return 200 '{login}';
        }}
        location = /flow/cart {{ default_type text/html; return 200 '{cart}'; }}
        location = /flow/order {{ default_type application/json; return 200 '{order}'; }}
    }}
    server {{
        listen 127.0.0.1:{https} ssl backlog=4096;
        ssl_certificate {dir}/cert.pem;
        ssl_certificate_key {dir}/key.pem;
        location / {{ return 200 "{body}"; }}
        location = /large {{ alias {dir}/large; }}
    }}
    server {{
        listen 127.0.0.1:{status};
        location / {{ stub_status; }}
    }}
}}
"""


def free_ports(count: int) -> list[int]:
    """Ports that were free a moment ago."""
    sockets = [socket.socket() for _ in range(count)]
    try:
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]
    finally:
        for each in sockets:
            each.close()


class Nginx:
    """A running nginx; `with Nginx(dir, core, files) as server:`."""

    def __init__(self, directory: Path, core: int, files: int):
        self.directory = directory
        self.core = core
        self.files = files
        self.http, self.https, self.status = free_ports(3)
        self.url = f"http://127.0.0.1:{self.http}/"
        self.https_url = f"https://127.0.0.1:{self.https}/"
        self._running: proc.Running | None = None

    def __enter__(self) -> "Nginx":
        self._certificate()
        # nginx's worker is somebody else when this process is root.
        self.directory.chmod(0o755)
        (self.directory / "large").write_bytes(LARGE)
        config = self.directory / "nginx.conf"
        config.write_text(CONFIG.format(
            dir=self.directory, files=self.files, connections=max(1024, self.files - 100),
            http=self.http, https=self.https, status=self.status, body=BODY,
            login=LOGIN, cart=CART, order=ORDER,
        ))
        argv = ["nginx", "-p", str(self.directory), "-c", str(config)]
        self._running = proc.Running("nginx", argv, self.core)
        self._wait_until_up()
        # Two readings with nothing between must differ by one: the second itself.
        first, second = self.requests(), self.requests()
        if second - first != 1:
            raise RuntimeError(f"stub_status does not count as expected: {first}, {second}")
        return self

    def __exit__(self, *_) -> None:
        self._running.signal(15)
        self._running.wait(10)

    def _certificate(self) -> None:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
             "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
             "-keyout", self.directory / "key.pem", "-out", self.directory / "cert.pem"],
            check=True, capture_output=True,
        )

    def _wait_until_up(self) -> None:
        deadline = time.monotonic() + 10
        while True:
            try:
                self.requests()
                return
            except OSError:
                if self._running.ended_within(0.05) or time.monotonic() > deadline:
                    raise RuntimeError(self._running.wait(0).complaint()) from None

    def _status(self) -> tuple[int, int]:
        with socket.create_connection(("127.0.0.1", self.status), timeout=10) as link:
            link.sendall(b"GET / HTTP/1.0\r\n\r\n")
            answer = b""
            while block := link.recv(4096):
                answer += block
        return parse.stub_status(answer.decode())

    def requests(self) -> int:
        """The counter as it stands, this very status request included."""
        return self._status()[1]

    def requests_since(self, earlier: int) -> int:
        """Requests between the reading `earlier` and now, status requests not counted."""
        return self.requests() - earlier - 1

    def connections(self) -> int:
        """Open connections, that of this status request not counted."""
        return self._status()[0] - 1


def version() -> str:
    """nginx's version."""
    text = subprocess.run(["nginx", "-v"], capture_output=True, text=True, check=False).stderr
    found = re.search(r"nginx/(\S+)", text)
    return found[1] if found else "?"
