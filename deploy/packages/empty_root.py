#!/usr/bin/env python3
"""Tries a static binary in a root that holds nothing else: deploy/packages/empty_root.py BINARY (as root)

In a network namespace of its own stand a name server that knows one name, and an HTTPS server whose
certificate a made-up authority has signed. The program, alone in its root, has to resolve the name, take the
certificate, and refuse it when the root has another authority. Exit code: 0 all holds, 1 something does not.
"""

import http.server
import os
import shutil
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

NAME = "shop.plimsoll.test"
CHROOT = shutil.which("chroot", path="/usr/sbin:/usr/bin:/sbin:/bin") or "chroot"


def say(ok: bool, what: str) -> bool:
    print(("holds: " if ok else "WRONG: ") + what)
    return ok


def openssl(*words: str) -> None:
    subprocess.run(["openssl", *words], check=True, capture_output=True)


def authority(folder: Path, name: str) -> tuple[Path, Path]:
    """An authority: its certificate and its key."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", f"/CN={name}", "-keyout", str(key), "-out", str(certificate))
    return certificate, key


def signed(folder: Path, by: tuple[Path, Path]) -> tuple[Path, Path]:
    """The server's certificate and its key."""
    certificate, key, request, more = (folder / f"server.{end}" for end in ("pem", "key", "csr", "ext"))
    more.write_text(f"subjectAltName=DNS:{NAME}\nbasicConstraints=CA:FALSE\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={NAME}",
            "-keyout", str(key), "-out", str(request))
    openssl("x509", "-req", "-in", str(request), "-CA", str(by[0]), "-CAkey", str(by[1]), "-CAcreateserial",
            "-days", "2", "-extfile", str(more), "-out", str(certificate))
    return certificate, key


def serve_names(asked: list[str]) -> None:
    """Responds to each question for the name with 127.0.0.1, to others that there is no such name."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    while True:
        query, peer = server.recvfrom(512)
        labels, at = [], 12
        while query[at]:
            labels.append(query[at + 1 : at + 1 + query[at]].decode())
            at += query[at] + 1
        kind = struct.unpack(">H", query[at + 1 : at + 3])[0]
        question = query[12 : at + 5]
        asked.append(".".join(labels))
        known = ".".join(labels).lower() == NAME
        is_address = known and kind == 1
        head = query[:2] + struct.pack(">HHHHH", 0x8180 if known else 0x8183, 1, int(is_address), 0, 0)
        response = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + socket.inet_aton("127.0.0.1")
        server.sendto(head + question + (response if is_address else b""), peer)


def serve_https(certificate: Path, key: Path) -> int:
    class Hello(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # noqa: N802 - the library's name
            self.send_response(200)
            self.send_header("Content-Length", "5")
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, *_: object) -> None:
            pass

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hello)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def in_root(root: Path, *words: str) -> subprocess.CompletedProcess:
    """Runs the program as the only one in its root, by a user without rights."""
    # No environment at all reaches the program, so that this one's path cannot lead to chroot either.
    command = [CHROOT, "--userspec=65534:65534", str(root), "/plimsoll", *words]
    return subprocess.run(command, capture_output=True, text=True, env={}, timeout=120)


def fresh(folder: Path, name: str, binary: Path, trusted: Path) -> Path:
    root = folder / name
    (root / "etc/ssl/certs").mkdir(parents=True)
    shutil.copy(binary, root / "plimsoll")
    (root / "etc/resolv.conf").write_text("nameserver 127.0.0.1\n")
    shutil.copy(trusted, root / "etc/ssl/certs/ca-certificates.crt")
    (root / "work").mkdir()
    os.chown(root / "work", 65534, 65534)
    os.chmod(root, 0o755)
    return root


def trial(binary: Path) -> bool:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        ours, others = authority(folder, "ours"), authority(folder, "others")
        port = serve_https(*signed(folder, ours))
        asked: list[str] = []
        threading.Thread(target=serve_names, args=(asked,), daemon=True).start()
        root = fresh(folder, "root", binary, ours[0])
        other = fresh(folder, "other", binary, others[0])
        version = in_root(root, "--version")
        right = say(version.returncode == 0 and "static" in version.stdout, "it runs alone in a root: " + version.stdout.splitlines()[2] if version.returncode == 0 else version.stderr)
        examined = in_root(root, "doctor")
        right &= say(examined.returncode in (0, 1), f"plimsoll doctor (exit code {examined.returncode}) {examined.stderr}")
        run = ["run", f"https://{NAME}:{port}/", "-c", "1", "--iterations", "5", "--out", "/work/runs"]
        loaded = in_root(root, *run)
        right &= say(loaded.returncode in (0, 4), f"it loads https://{NAME} (exit code {loaded.returncode}) {loaded.stderr}")
        right &= say(any(name.lower().rstrip(".") == NAME for name in asked), f"the name was asked for: {sorted(set(asked))}")
        shown = in_root(root, "show", "last", "--out", "/work/runs")
        right &= say(shown.returncode == 0, "the run is stored, and read again")
        refused = in_root(other, *run)
        right &= say(refused.returncode not in (0, 4), f"it refuses a certificate of another authority (exit code {refused.returncode})")
    return right


def main() -> int:
    if len(sys.argv) == 2:
        # The program comes again in a namespace of its own.
        return subprocess.run(["unshare", "-n", sys.executable, __file__, sys.argv[1], "inside"], check=False).returncode
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    return 0 if trial(Path(sys.argv[1]).resolve()) else 1


if __name__ == "__main__":
    sys.exit(main())
