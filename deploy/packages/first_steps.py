#!/usr/bin/env python3
"""Installs the .deb in an empty Debian root and does the README's first steps there:
deploy/packages/first_steps.py DEB CACHE (as root)

CACHE is a folder: an empty Debian is made in it once, by debootstrap. Without debootstrap or a mirror the root
is made of dpkg's own files on this host (dpkg --root), and that is said. The commands are those under
"Install" of README.md and README.zh-CN.md, in their order. How long it takes from the installation to the first
report is told. Exit code: 0 all hold, 1 one does not, 2 no root can be made.
"""

import http.server
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READMES = {"en": ("README.md", "## Install"), "zh": ("README.zh-CN.md", "## 安装")}


def run(*words: str, **more) -> subprocess.CompletedProcess:
    return subprocess.run(words, capture_output=True, text=True, **more)


def base(cache: Path) -> Path | None:
    """The archive of an empty Debian."""
    archive = cache / "debian.tar"
    if archive.is_file():
        return archive
    cache.mkdir(parents=True, exist_ok=True)
    release = next(
        (line.split("=")[1] for line in Path("/etc/os-release").read_text().splitlines() if line.startswith("VERSION_CODENAME")), "stable"
    )
    if not shutil.which("debootstrap"):
        print("no debootstrap: the root is made by dpkg alone")
        return None
    with tempfile.TemporaryDirectory(dir=cache) as made:
        root = Path(made) / "root"
        done = run("debootstrap", "--variant=minbase", release, str(root))
        if done.returncode != 0:
            print(f"debootstrap: {(done.stderr or done.stdout).strip().splitlines()[-1]}: the root is made by dpkg alone")
            return None
        run("tar", "-C", str(root), "-cf", str(archive), ".", check=True)
    return archive


def commands(language: str) -> list[str]:
    """The lines under "Install" that a shell runs, from the installation of the .deb on."""
    name, heading = READMES[language]
    _, _, text = (ROOT / name).read_text().partition(heading + "\n")
    text = re.split(r"^## ", text, maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line[4:].split(" #")[0].strip() for line in text.splitlines() if line.startswith("    ")]
    begin = next(at for at, line in enumerate(lines) if "dpkg -i" in line)
    end = next((at for at, line in enumerate(lines) if at > begin and "rpm " in line), len(lines))
    return lines[begin:end]


def serve() -> int:
    class Hello(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # noqa: N802 - the library's name
            self.send_response(200)
            self.send_header("Content-Length", "5")
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hello)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def steps(language: str, archive: Path | None, deb: Path, port: int, work: Path) -> bool:
    root = work / language
    root.mkdir()
    if archive:
        run("tar", "-C", str(root), "-xf", str(archive), check=True)
    else:
        bare(root)
    shutil.copy(deb, root / deb.name)
    # What a process needs to see of itself and of its chances.
    (root / "proc").mkdir(exist_ok=True)
    mounted = run("mount", "--bind", "/proc", str(root / "proc")).returncode == 0
    begin, right, first_report = time.monotonic(), True, None
    try:
        for line in commands(language):
            line = line.replace("sudo ", "").replace("./plimsoll_*.deb", f"/{deb.name}")
            line = line.replace("http://127.0.0.1:8080", f"http://127.0.0.1:{port}").replace("duration 30s", "duration 3s")
            line = re.sub(r"plimsoll run first\.yaml", "plimsoll run first.yaml --ramp-up 0s --duration 3s", line)
            env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "zh_CN.UTF-8" if language == "zh" else "C.UTF-8"}
            done = run("chroot", str(root), "/bin/sh", "-c", "cd /root && " + line, env=env)
            # 4: this machine was too busy to be sure; the report is there all the same.
            ok = done.returncode == 0 or ("plimsoll run" in line and done.returncode == 4)
            right &= ok
            print(("holds: " if ok else "WRONG: ") + f"[{language}] {line}" + ("" if ok else f"\n{done.stdout}{done.stderr}"))
            report = root / "root/report.html"
            if first_report is None and report.is_file() and "--report" in line:
                first_report = time.monotonic() - begin
                chinese = "zh" in re.findall(r'<html[^>]*lang="([a-z]+)', report.read_text())[:1]
                right &= chinese == (language == "zh")
        user = run("chroot", str(root), "/usr/bin/getent", "passwd", "plimsoll").stdout
        ok = user.startswith("plimsoll:") and (root / "var/lib/plimsoll").is_dir()
        print(("holds: " if ok else "WRONG: ") + f"[{language}] the package made its user and folder: {user.strip()}")
        right &= ok and first_report is not None
        if first_report:
            print(f"[{language}] from the installation to the first report: {first_report:.1f} s")
    finally:
        if mounted:
            run("umount", str(root / "proc"))
    return right


def bare(root: Path) -> None:
    """A root of this host's programs that dpkg and the package's scripts use, with an empty database."""
    for folder in ("var/lib/dpkg/info", "var/lib/dpkg/updates", "etc", "root", "tmp", "usr/share"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "var/lib/dpkg/status").write_text("Package: passwd\nStatus: install ok installed\nVersion: 1\nArchitecture: amd64\nMaintainer: none\nDescription: none\n")
    (root / "var/lib/dpkg/available").touch()
    for folder in ("bin", "sbin", "lib", "lib64", "usr/bin", "usr/sbin", "usr/lib", "usr/lib64"):
        here = Path("/") / folder
        if here.is_symlink():
            (root / folder).symlink_to(os.readlink(here))
    programs = ["sh", "dpkg", "dpkg-deb", "dpkg-split", "tar", "rm", "getent", "useradd", "install", "ldconfig", "start-stop-daemon", "cat"]
    for program in programs:
        found = shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin")
        if found:
            copy(root, Path(found))
    for name in ("passwd", "group", "shadow", "gshadow", "login.defs", "nsswitch.conf"):
        if (Path("/etc") / name).is_file():
            shutil.copy(Path("/etc") / name, root / "etc" / name)


def copy(root: Path, program: Path) -> None:
    files = [program.resolve()] + [
        Path(word) for word in run("ldd", str(program)).stdout.split() if word.startswith("/")
    ]
    for file in files:
        to = root / file.resolve().relative_to("/")
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, to)
        link = root / file.relative_to("/")
        if not link.exists():
            link.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, link)
    if program.name != program.resolve().name:
        shutil.copy(program, root / program.relative_to("/"))


def main() -> int:
    if len(sys.argv) != 3 or os.geteuid() != 0:
        print(__doc__, file=sys.stderr)
        return 2
    deb, cache = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    archive = base(cache)
    port = serve()
    with tempfile.TemporaryDirectory(dir=cache) as work:
        right = [steps(language, archive, deb, port, Path(work)) for language in READMES]
    return 0 if all(right) else 1


if __name__ == "__main__":
    sys.exit(main())
