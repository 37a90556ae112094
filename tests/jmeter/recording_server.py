#!/usr/bin/env python3
"""An HTTP/1.1 server on a loopback port that remembers each request exactly as it came, and
answers by path. Answers hold nothing that changes from run to run (no Date header).

As a program: prints its port, serves until its standard input ends, then prints what it
recorded as JSON.
"""
import gzip
import hashlib
import json
import socket
import socketserver
import sys
import threading
import time
import urllib.parse
import zlib

PAGE = """<html><head><title>A page</title>
<link rel="stylesheet" href="style.css"><script src="/res/code.js"></script></head>
<body background="/res/back.png"><h1 class="big">Hello &amp; welcome</h1>
<img src="res/one.png"><img src="res/one.png"><img src="res/missing.png">
<a href="/plain?from=link">a link</a> <a href="json?x=1&amp;y=2">another</a>
<form action="/mirror" method="post"><input type="hidden" name="token" value="t-42">
<input type="text" name="user" value="ann"></form>
<p class="item">first</p><p class="item">second</p><p class="item">third</p></body></html>"""
JSON = {
    "name": "Ann", "age": 42, "active": True, "none": None, "price": 12.5,
    "tags": ["a", "b", "c"], "empty": [], "nested": {"deep": {"value": "found"}},
    "items": [{"id": 1, "name": "one"}, {"id": 2, "name": "two"}, {"id": 3, "name": "three"}],
}
XML = """<?xml version="1.0" encoding="UTF-8"?>
<store xmlns:x="http://example.org/x"><book id="1" lang="en"><title>One</title><price>10</price>
</book><book id="2"><title>Two</title><price>20.5</price></book><x:note>hidden</x:note></store>"""
REASONS = {200: "OK", 201: "Created", 202: "Accepted", 204: "No Content", 301: "Moved Permanently",
           302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
           308: "Permanent Redirect", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden",
           404: "Not Found", 418: "I'm a teapot", 500: "Internal Server Error",
           503: "Service Unavailable"}


class Request:
    """A request as it came."""

    def __init__(self, line, headers, body):
        self.method, self.target, self.version = line.split(" ", 2)
        self.headers = headers
        self.body = body
        parts = urllib.parse.urlsplit(self.target)
        self.path = parts.path
        self.query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))

    def header(self, name):
        found = [value for key, value in self.headers if key.lower() == name.lower()]
        return found[0] if found else None

    def as_record(self):
        return {"method": self.method, "target": self.target,
                "headers": [list(header) for header in self.headers],
                "body": self.body.decode("latin-1")}


def answer(request):
    """Status, headers and body for a request; None closes the connection without an answer."""
    path = request.path
    text = [("Content-Type", "text/plain; charset=UTF-8")]
    first, _, rest = path.lstrip("/").partition("/")
    if first == "plain":
        return 200, text, b"hello"
    if first == "say":
        return 200, text, request.query.get("text", "").encode()
    if first == "json":
        return 200, [("Content-Type", "application/json")], json.dumps(JSON).encode()
    if first == "xml":
        return 200, [("Content-Type", "application/xml")], XML.encode()
    if first == "html":
        return 200, [("Content-Type", "text/html; charset=UTF-8")], PAGE.encode()
    if first == "give":
        # What the query says; a header's value in UTF-8, as some servers write it.
        headers = [("Content-Type", request.query.get("type", "text/plain"))]
        if "location" in request.query:
            raw = request.query["location"].encode().decode("latin-1")
            return 302, headers + [("Location", raw)], b""
        return 200, headers, request.query.get("body", "").encode()
    if first == "res" or path.endswith("/style.css") or path == "/style.css":
        return resource(path)
    if first == "mirror":
        return 200, text, mirrored(request)
    if first == "status" and rest.isdigit():
        return status(int(rest), request)
    if first == "redirect":
        left = int(rest or 1)
        target = f"/redirect/{left - 1}" if left > 1 else "/plain?end=1"
        code = int(request.query.get("code", 302))
        if left > 1 and "code" in request.query:
            target += f"?code={code}"
        return code, text + [("Location", target)], b"go on"
    if first == "elsewhere":
        # To the same server by another name, or to a place that the query names.
        host = request.header("Host") or ""
        target = request.query.get("to", "http://localhost:%s/plain" % host.rpartition(":")[2])
        return 302, text + [("Location", target)], b""
    if first == "cookie":
        return cookie(request, rest, text)
    if first == "gzip":
        return 200, text + [("Content-Encoding", "gzip")], gzip.compress(b"squeezed " * 50, mtime=0)
    if first == "deflate":
        return 200, text + [("Content-Encoding", "deflate")], zlib.compress(b"squeezed " * 50)
    if first == "slow":
        time.sleep(int(request.query.get("ms", 300)) / 1000)
        return 200, text, b"at last"
    if first == "basic":
        return basic(request, text)
    if first == "digest":
        return digest(request, text)
    if first == "cache":
        return cached(request, rest, text)
    if first == "latin1":
        return 200, [("Content-Type", "text/plain; charset=ISO-8859-1")], "é à ü".encode("latin-1")
    if first == "untyped":
        return 200, [], b"who knows"
    if first == "binary":
        return 200, [("Content-Type", "application/octet-stream")], bytes(range(256))
    if first == "image":
        return 200, [("Content-Type", "image/png")], b"\x89PNG\r\n\x1a\n"
    if first == "empty":
        return 204, [], b""
    if first == "length":
        return 200, text, b"x" * int(request.query.get("bytes", 10))
    if first == "graphql":
        return 200, [("Content-Type", "application/json")], b'{"data":{"ok":true}}'
    if first == "drop":
        return None
    return 404, text, b"no such thing"


def resource(path):
    kinds = {"css": "text/css", "js": "application/javascript", "png": "image/png"}
    if path.endswith("missing.png"):
        return 404, [("Content-Type", "text/plain")], b"gone"
    body = {"style.css": b"h1 { background: url(/res/from-css.png) }",
            "code.js": b"var x = 1;"}.get(path.rpartition("/")[2], b"\x89PNG\r\n\x1a\n")
    return 200, [("Content-Type", kinds.get(path.rpartition(".")[2], "text/plain"))], body


def mirrored(request):
    head = [f"{request.method} {request.target}"]
    head += [f"{name}: {value}" for name, value in request.headers]
    return "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + request.body


def status(code, request):
    headers = [("Content-Type", "text/plain")]
    if "location" in request.query:
        headers.append(("Location", request.query["location"]))
    return code, headers, b"" if code in (204, 304) else f"status {code}".encode()


def cookie(request, what, text):
    if what == "set":
        headers = [("Set-Cookie", f"{name}={value}") for name, value in request.query.items()]
        return 200, text + headers, b"set"
    if what == "attributes":
        return 200, text + [
            ("Set-Cookie", "root=1; Path=/"), ("Set-Cookie", "here=2"),
            ("Set-Cookie", "deep=3; Path=/cookie/deep"), ("Set-Cookie", "gone=4; Max-Age=-1"),
            ("Set-Cookie", "long=5; Max-Age=1000; Path=/"), ("Set-Cookie", "safe=6; Path=/; Secure"),
            ("Set-Cookie", "hidden=7; Path=/; HttpOnly"),
            ("Set-Cookie", "other=8; Domain=example.org; Path=/"),
            ("Set-Cookie", "old=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/"),
            ("Set-Cookie", 'quoted="a b"; Path=/'),
        ], b"many"
    return 200, text, (request.header("Cookie") or "no cookies").encode()


def basic(request, text):
    if request.header("Authorization") == "Basic YW5uOnNlY3JldA==":
        return 200, text, b"welcome ann"
    return 401, text + [("WWW-Authenticate", 'Basic realm="place"')], b"who are you"


def digest(request, text):
    given = request.header("Authorization") or ""
    if given.startswith("Digest "):
        values = dict(part.strip().split("=", 1) for part in given[7:].split(","))
        values = {name: value.strip('"') for name, value in values.items()}
        md5 = lambda of: hashlib.md5(of.encode()).hexdigest()
        secret = md5("ann:place:secret")
        asked = md5(f"{request.method}:{values.get('uri', '')}")
        right = md5(f"{secret}:{values.get('nonce')}:{values.get('nc')}:{values.get('cnonce')}"
                    f":{values.get('qop')}:{asked}")
        if values.get("response") == right:
            return 200, text, b"welcome ann"
    challenge = 'Digest realm="place", qop="auth", nonce="abc123", opaque="xyz", algorithm=MD5'
    return 401, text + [("WWW-Authenticate", challenge)], b"who are you"


def cached(request, what, text):
    if what == "etag":
        if request.header("If-None-Match") == '"v1"':
            return 304, [("ETag", '"v1"')], b""
        return 200, text + [("ETag", '"v1"')], b"tagged"
    if what == "modified":
        if request.header("If-Modified-Since"):
            return 304, [], b""
        return 200, text + [("Last-Modified", "Mon, 02 Mar 2020 10:00:00 GMT")], b"old"
    if what == "age":
        return 200, text + [("Cache-Control", "max-age=1000")], b"fresh"
    if what == "expires":
        return 200, text + [("Expires", "Mon, 02 Mar 2099 10:00:00 GMT")], b"fresh"
    return 200, text + [("Cache-Control", "no-store"), ("ETag", '"v2"')], b"never kept"


class Handler(socketserver.StreamRequestHandler):
    disable_nagle_algorithm = True

    def handle(self):
        try:
            while self.one():
                pass
        except (ConnectionError, TimeoutError):
            pass

    def one(self):
        if not self.rfile.peek(1)[:1].isalpha():
            return False  # A TLS handshake, or the end.
        line = self.rfile.readline(65536)
        if line.count(b" ") < 2:
            return False
        headers = []
        while (header := self.rfile.readline(65536)) not in (b"\r\n", b"\n", b""):
            name, _, value = header.decode("latin-1").rstrip("\r\n").partition(":")
            headers.append((name, value.strip(" ")))
        request = Request(line.decode("latin-1").rstrip("\r\n"), headers, b"")
        if (request.header("Expect") or "").lower() == "100-continue":
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        request.body = self.body(request)
        self.server.record(request)
        return self.reply(request)

    def body(self, request):
        if (request.header("Transfer-Encoding") or "").lower() == "chunked":
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body
        return self.rfile.read(int(request.header("Content-Length") or 0))

    def reply(self, request):
        found = answer(request)
        if found is None:
            return False
        code, headers, body = found
        head = f"HTTP/1.1 {code} {REASONS.get(code, 'Other')}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers)
        if request.query.get("chunked") and body:
            head += "Transfer-Encoding: chunked\r\n"
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        elif code not in (204, 304):
            head += f"Content-Length: {len(body)}\r\n"
        if request.method == "HEAD" or code in (204, 304):
            body = b""
        keeps = (request.header("Connection") or "keep-alive").lower() != "close"
        if not keeps:
            head += "Connection: close\r\n"
        self.wfile.write(head.encode("latin-1") + b"\r\n" + body)
        return keeps


class RecordingServer(socketserver.ThreadingTCPServer):
    """The server; `requests` is what it recorded so far."""
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.port = self.server_address[1]
        self.lock = threading.Lock()
        self.requests = []

    def record(self, request):
        with self.lock:
            self.requests.append(request.as_record())

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, socket.timeout)):
            super().handle_error(request, client_address)

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


if __name__ == "__main__":
    with RecordingServer() as server:
        print(server.port, flush=True)
        sys.stdin.read()
        json.dump(server.requests, sys.stdout, indent=1)
