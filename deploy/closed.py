"""Starts a nats-server as the chart configures it, on free ports of loopback, and tries to get in.

    deploy/closed.py nats.conf FOLDER

FOLDER has ca.crt, tls.crt and tls.key (deploy/certificates.sh). Exit code 0: it is closed to all but
those with TLS and a password, its routes to all without its certificate, its monitor to other hosts.
"""

import json
import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import time


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def configured(text, folder, ports):
    """The configuration with ports and paths of this host; what is open in it stays so."""
    monitors = re.findall(r"^\s*https?(?:_port)?:\s*(.*)$", text, re.M)
    assert monitors == ['"127.0.0.1:8222"'], f"the monitor is not bound to loopback: {monitors}"
    for own, here in zip((4222, 6222, 8222), ports):
        text = re.sub(rf'"(?:0\.0\.0\.0|127\.0\.0\.1):{own}"', f'"127.0.0.1:{here}"', text)
    here = f'routes: ["nats-route://127.0.0.1:{ports[1]}"]'
    text = re.sub(r"routes: \[.*\]", here, text)
    assert "0.0.0.0" not in text, text
    return text.replace("/tls/", f"{folder}/").replace('"/data"', f'"{folder}/data"')


def first_line(port):
    deadline = time.monotonic() + 60
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port), timeout=20)
            return connection, json.loads(connection.makefile("rb").readline()[len("INFO ") :])
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def said(connection, user=None, password=None):
    """What the server says to somebody."""
    who = {"user": user, "pass": password} if user else {}
    message = {"verbose": False, "pedantic": False, "tls_required": False, **who}
    try:
        connection.sendall(f"CONNECT {json.dumps(message)}\r\nPING\r\n".encode())
        return connection.makefile("rb").readline()
    except OSError:
        return b""


def encrypted(port, folder):
    connection, info = first_line(port)
    assert info.get("tls_required") and info.get("auth_required"), info
    trusting = ssl.create_default_context(cafile=f"{folder}/ca.crt")
    return trusting.wrap_socket(connection, server_hostname="plimsoll-nats-0.plimsoll-nats")


def route(port, folder, certificate):
    """Whether the server speaks to another one; in TLS 1.3 it says no only after the handshake."""
    trusting = ssl.create_default_context(cafile=f"{folder}/ca.crt")
    if certificate:
        trusting.load_cert_chain(f"{folder}/tls.crt", f"{folder}/tls.key")
    connection = socket.create_connection(("127.0.0.1", port), timeout=20)
    try:
        with trusting.wrap_socket(connection, server_hostname="localhost") as inside:
            return inside.recv(4) == b"INFO"
    except OSError:
        return False


def main():
    configuration, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    ports = [free_port() for _ in range(3)]
    with open(configuration, encoding="utf-8") as file:
        text = configured(file.read(), folder, ports)
    environment = {
        **os.environ,
        "POD_NAME": "plimsoll-nats-0",
        "NATS_CONTROLLER_PASSWORD": '"c-word"',
        "NATS_WORKER_PASSWORD": '"w-word"',
    }
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".conf") as file:
        file.write(text)
        file.flush()
        command = ["nats-server", "-c", file.name]
        log = open(f"{folder}/log", "w+", encoding="utf-8")
        server = subprocess.Popen(command, env=environment, stderr=log)
        try:
            plain, _ = first_line(ports[0])
            assert b"PONG" not in said(plain, "controller", "c-word"), "it speaks without TLS"
            for who in [(None, None), ("controller", "w-word"), ("worker", "")]:
                inside = encrypted(ports[0], folder)
                assert b"PONG" not in said(inside, *who), f"it lets {who} in"
            for who in [("controller", "c-word"), ("worker", "w-word")]:
                assert b"PONG" in said(encrypted(ports[0], folder), *who), f"it refuses {who}"
            if "cluster {" in text:
                assert not route(ports[1], folder, False), "a route without certificate is open"
                assert route(ports[1], folder, True), "a route with the certificate is refused"
        except (AssertionError, OSError):
            log.seek(0)
            print(log.read(), file=sys.stderr)
            raise
        finally:
            server.terminate()
            server.wait()
            log.close()


main()
