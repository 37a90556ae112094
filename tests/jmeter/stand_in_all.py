#!/usr/bin/env python3
"""Stands in for every server inside a network namespace of strangers.py: 200 to each HTTP or HTTPS request, whatever
its host and port, WebSocket's handshake, a proxy's CONNECT; a name server to which all names are 127.0.0.9.

Prints "ready" and serves until it is ended.
"""
import asyncio
import base64
import hashlib
import pathlib
import ssl
import struct
import subprocess
import sys
import tempfile

PAGE = (b'<html><head><title>stand-in</title></head><body><a href="/next">next</a>'
        b'<form action="/in"><input name="token" value="t1"></form></body></html>')
JSON = b'{"id": 1, "token": "t1", "access_token": "t1", "data": [{"id": 1, "name": "one"}], "status": "ok"}'
XML = b'<?xml version="1.0"?><Envelope><Body><id>1</id></Body></Envelope>'
LONGEST = 16 << 20


def certificate():
    """One for any name: plans of JMeter trust all."""
    folder = pathlib.Path(tempfile.mkdtemp())
    made = [str(folder / "key"), str(folder / "cert")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                    "-subj", "/CN=stand-in", "-keyout", made[0], "-out", made[1]], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made[1], made[0])
    return context


async def body_of(reader, headers):
    if "chunked" in headers.get("transfer-encoding", ""):
        while True:
            size = int((await reader.readline()).split(b";")[0] or b"0", 16)
            await reader.readexactly(size + 2)
            if size == 0:
                return
    length = min(int(headers.get("content-length", "0") or 0), LONGEST)
    if headers.get("expect"):
        return
    await reader.readexactly(length)


def page_for(headers):
    wanted = headers.get("accept", "") + headers.get("content-type", "")
    if "json" in wanted:
        return b"application/json", JSON
    if "soap" in wanted or "xml" in wanted and "html" not in wanted:
        return b"text/xml; charset=utf-8", XML
    return b"text/html; charset=utf-8", PAGE


async def web_socket(reader, writer, headers):
    key = headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    accept = base64.b64encode(hashlib.sha1(key.encode()).digest())
    writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
                 + accept + b"\r\n\r\n")
    while True:
        first, second = await reader.readexactly(2)
        length = second & 127
        if length == 126:
            length = struct.unpack(">H", await reader.readexactly(2))[0]
        elif length == 127:
            length = min(struct.unpack(">Q", await reader.readexactly(8))[0], LONGEST)
        mask = await reader.readexactly(4) if second & 128 else b"\0\0\0\0"
        data = bytes(byte ^ mask[at % 4] for at, byte in enumerate(await reader.readexactly(length)))
        kind = {8: 8, 9: 10}.get(first & 15, first & 15)
        head = bytes([128 | kind]) + (bytes([length]) if length < 126 else b"\x7e" + struct.pack(">H", min(length, 65535)))
        writer.write(head + data[:65535])
        await writer.drain()
        if kind == 8:
            return


async def serve(reader, writer, context):
    try:
        while line := await reader.readline():
            method = line.split(b" ")[0]
            headers = {}
            while (line := await reader.readline()) not in (b"\r\n", b"\n", b""):
                name, _, value = line.decode("latin-1").partition(":")
                headers[name.strip().lower()] = value.strip()
            if method == b"CONNECT":
                writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
                await writer.start_tls(context)
                continue
            if "sec-websocket-key" in headers:
                await web_socket(reader, writer, headers)
                break
            if headers.get("expect"):
                writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                headers.pop("expect")
            await body_of(reader, headers)
            kind, page = page_for(headers)
            head = b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\nSet-Cookie: s=1; Path=/\r\n\r\n" % (kind, len(page))
            writer.write(head + (b"" if method == b"HEAD" else page))
            await writer.drain()
    except (OSError, ValueError, KeyError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ssl.SSLError):
        pass
    finally:
        writer.close()


async def accept(reader, writer, context, inner):
    """The first byte tells TLS from HTTP: what is TLS goes to the server behind, byte for byte."""
    try:
        first = await asyncio.wait_for(reader.read(1), 30)
    except (OSError, asyncio.TimeoutError):
        writer.close()
        return
    if first != b"\x16":
        # Put back what was looked at.
        reader._buffer[:0] = first  # noqa: SLF001 - there is no other way
        await serve(reader, writer, context)
        return
    try:
        onward, back = await asyncio.open_unix_connection(inner)
    except OSError:
        writer.close()
        return
    back.write(first)

    async def copy(source, to):
        try:
            while data := await source.read(65536):
                to.write(data)
                await to.drain()
        except OSError:
            pass
        finally:
            to.close()

    await asyncio.gather(copy(reader, back), copy(onward, writer))


class Names(asyncio.DatagramProtocol):
    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, query, peer):
        at = 12
        while at < len(query) and query[at]:
            at += query[at] + 1
        question = query[12 : at + 5]
        is_address = query[at + 1 : at + 3] == b"\0\1"
        head = query[:2] + struct.pack(">HHHHH", 0x8180, 1, int(is_address), 0, 0)
        response = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + bytes([127, 0, 0, 9])
        self.transport.sendto(head + question + (response if is_address else b""), peer)


async def main():
    context = certificate()
    inner = tempfile.mkdtemp() + "/tls"
    await asyncio.start_unix_server(lambda r, w: serve(r, w, context), inner, ssl=context)
    await asyncio.start_server(lambda r, w: accept(r, w, context, inner), ["0.0.0.0", "::"], 18080, limit=1 << 20, backlog=4096)
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(Names, ("0.0.0.0", 10053))
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
