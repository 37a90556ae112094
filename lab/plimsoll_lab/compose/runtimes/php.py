"""PHP-FPM, behind an nginx of its own that speaks FastCGI."""

import json
import os
import re
import subprocess
from pathlib import Path

from ... import process
from ...errors import LabError
from ...tiers.base import accepts, find_program, program
from ...tiers.nginx import Nginx
from .base import ALL_STEPS, SOURCES, Look, Runtime

_SOURCES = SOURCES / "php"
_VERSIONS = ("8.2", "8.3", "8.4", "8.1")


def _fpm() -> str | None:
    return next((f"php-fpm{each}" for each in _VERSIONS if find_program(f"php-fpm{each}")), None)


class Php(Runtime):
    """lab/compose/php with so many children."""

    id = "php"
    abilities = ALL_STEPS | {"inside", "alone", "query", "get", "store", "places"}
    request_cpu_ms = 0.9
    speaks = "fastcgi"
    has_threads = True

    @classmethod
    def spare_threads(cls, users: int) -> int:
        return users + 4

    @classmethod
    def missing(cls, jdk: int = 0, server: str | None = None) -> list[str]:
        fpm = _fpm()
        if not fpm:
            return ["php-fpm"]
        wanted = {"pdo_mysql", "pdo_pgsql", "redis", "sysvsem"}
        done = subprocess.run(
            [program(fpm), "-m"], capture_output=True, text=True, check=False
        )
        found = [f"PHP's {each}" for each in sorted(wanted - set(done.stdout.lower().split()))]
        return found + ([] if find_program("nginx") else ["nginx"])

    def prepare(self) -> None:
        super().prepare()
        place = self.place
        # Its children may have another user.
        place.directory.chmod(0o777)
        lines = [
            "[global]",
            "daemonize = no",
            f"error_log = {place.directory}/fpm.log",
            f"[{place.tier.name}]",
            f"listen = {place.host}:{place.ports['http']}",
            "listen.backlog = 511",
            "pm = static",
            f"pm.max_children = {place.settings['threads']}",
            "pm.status_path = /fpm-status",
            "catch_workers_output = yes",
            *(["user = root", "group = root"] if os.geteuid() == 0 else []),
        ]
        (place.directory / "fpm.conf").write_text("\n".join(lines) + "\n")

    def command(self) -> list[str]:
        fpm = _fpm()
        if fpm is None:
            raise LabError("PHP-FPM is not installed: run tools/setup.sh compose")
        as_root = ["-R"] if os.geteuid() == 0 else []
        return [program(fpm), "-F", *as_root, "-y", str(self.place.directory / "fpm.conf")]

    def is_ready(self) -> bool:
        return accepts(self.place.host, self.place.ports["http"])

    @classmethod
    def ask(cls, main: process.Process) -> None:
        """Nothing: a line is written for each request."""

    @classmethod
    def written(
        cls, main: process.Process, folder: Path, name: str, since_ns: int
    ) -> list[Look] | None:
        made = Look(0, 0, 0.0, {}, [0] * 32)
        path = folder / f"{name}.lines"
        if path.is_file():
            for line in path.read_text(encoding="utf-8").splitlines():
                _count(made, json.loads(line))
        return [made]

    @classmethod
    def end(cls, settings: dict) -> None:
        """Removes the semaphores, which the kernel keeps else."""
        text = Path(settings["directory"], "semaphores")
        for key in set(text.read_text().split()) if text.is_file() else ():
            subprocess.run(["ipcrm", "-S", key], capture_output=True, check=False)


def _count(made: Look, line: list) -> None:
    status, total_ms, spent = line
    made.requests += 1
    made.failed += status >= 400
    made.total_ms += total_ms
    for what, ms in (spent or {}).items():
        made.sums[what] = made.sums.get(what, 0.0) + ms
    made.histogram[min(int(total_ms * 1000).bit_length(), 31)] += 1


class Web(Nginx):
    """nginx for PHP's children. Settings: `behind` (their address) and `settings` (their file)."""

    def prepare(self) -> None:
        place = self.place
        for name in ("body", "proxy", "fastcgi", "uwsgi", "scgi"):
            (place.directory / name).mkdir(exist_ok=True)
        values = {
            "user": "user root;" if os.geteuid() == 0 else "",
            "dir": place.directory,
            "host": place.host,
            "port": place.ports["http"],
            "script": _SOURCES / "index.php",
            **place.settings,
        }
        text = (_SOURCES / "nginx.conf.tmpl").read_text()
        text = re.sub(r"@([a-z_]+)@", lambda found: str(values[found[1]]), text)
        (place.directory / "nginx.conf").write_text(text)

    def switch_live(self, before: dict[str, object]) -> bool:
        return False
