#!/usr/bin/env python3
"""Stands in for public hosts inside a test's own network namespace: HTTP on port 80, HTTPS on
port 443 of 127.0.0.2, with a certificate made at the start for the name a client asks for.

Prints "ready" and serves until it is ended.
"""
import http.server
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading

ADDRESS = "127.0.0.2"
PAGE = "<html><head><title>{title}</title></head><body>stand-in for {host}</body></html>"
TITLES = {"www.example.org": "Example Domain"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        host = self.headers.get("Host", "")
        parts = self.path.strip("/").split("/")
        if parts[0] == "redirect" and len(parts) == 2 and parts[1].isdigit():
            left = int(parts[1]) - 1
            target = f"/redirect/{left}" if left > 0 else "/get"
            self.answer(302, "FOUND", "text/html; charset=utf-8", "Redirecting", target)
        elif parts[0] == "get":
            # Behind httpbin.org's front all is https.
            body = '{\n  "url": "https://%s/get"\n}\n' % host
            self.answer(200, "OK", "application/json", body)
        else:
            self.answer(200, "OK", "text/html; charset=utf-8",
                        PAGE.format(host=host, title=TITLES.get(host, "Apache JMeter")))

    def answer(self, code, reason, kind, body, location=None):
        data = body.encode()
        self.send_response(code, reason)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def certificate(folder, name):
    """A self-signed certificate and its key, for one name."""
    made = folder / f"{name}.pem"
    if not made.is_file():
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                        "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}",
                        "-keyout", str(made), "-out", str(folder / "cert")],
                       check=True, capture_output=True)
        made.write_bytes(made.read_bytes() + (folder / "cert").read_bytes())
    return made


def tls_context(folder):
    def by_name(connection, name, _):
        connection.context = loaded(certificate(folder, name or "localhost"))

    def loaded(pem):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        return context

    context = loaded(certificate(folder, "localhost"))
    context.sni_callback = by_name
    return context


def main():
    with tempfile.TemporaryDirectory() as folder:
        plain = http.server.ThreadingHTTPServer((ADDRESS, 80), Handler)
        secure = http.server.ThreadingHTTPServer((ADDRESS, 443), Handler)
        context = tls_context(pathlib.Path(folder))
        secure.socket = context.wrap_socket(secure.socket, server_side=True)
        threading.Thread(target=plain.serve_forever, daemon=True).start()
        print("ready", flush=True)
        secure.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
