"""Python: gunicorn with children or with threads, and uvicorn with its event loop.

The programs are Debian's, which run with the system's Python and its packages.
"""

import subprocess
from pathlib import Path

from ... import process
from .base import ALL_STEPS, SOURCES, Runtime

_SOURCES = SOURCES / "python"
_PYTHON = "/usr/bin/python3"
_STORE_STEPS = frozenset({"query", "get"})


def _lacks(module: str) -> list[str]:
    """What the system's Python lacks of a server and of the clients of stores."""
    wanted = (module, "pymysql", "psycopg2", "redis")
    try:
        done = subprocess.run(
            [_PYTHON, "-c", f"import {', '.join(wanted)}"], capture_output=True, check=False
        )
    except FileNotFoundError:
        return ["python3"]
    return [] if done.returncode == 0 else [f"Python's {', '.join(wanted)}"]


class _Python(Runtime):
    module = ""
    cores = 1
    request_cpu_ms = 1.2
    round_factor = 1.0
    makes_kib_per_ms = 6500

    @classmethod
    def missing(cls, jdk: int = 0, server: str | None = None) -> list[str]:
        return _lacks(cls.module)

    def _start(self, *argv: str) -> list[str]:
        return ["/usr/bin/env", f"APP_SETTINGS={self.configuration}", _PYTHON, "-m", *argv]

    @property
    def _bind(self) -> str:
        return f"{self.place.host}:{self.place.ports['http']}"


class _Gunicorn(_Python):
    module = "gunicorn"
    has_threads = True

    @classmethod
    def recorders(cls, main: process.Process) -> list[process.Process]:
        children = map(process.identify, process.with_children(main)[1:])
        return [each for each in children if each]

    def is_ready(self) -> bool:
        """Once each child has loaded the service: till then the signal that asks would end it."""
        settings = self.place.settings
        written = list(Path(settings["records"]).glob(f"{settings['name']}.*.json"))
        return len(written) >= self._children() and super().is_ready()

    def _children(self) -> int:
        return 1

    def _serve(self, *more: str) -> list[str]:
        return self._start(
            *("gunicorn", "--bind", self._bind, "--chdir", str(_SOURCES)),
            *("--timeout", "60", "--graceful-timeout", "1", *more, "desk:application"),
        )


class PythonSync(_Gunicorn):
    """gunicorn with a child for each request at a time."""

    id = "python-sync"
    abilities = ALL_STEPS | _STORE_STEPS | {"alone", "store", "places", "leave"}
    cores = 2

    @classmethod
    def spare_threads(cls, users: int) -> int:
        return users + 4

    def _children(self) -> int:
        return self.place.settings["threads"]

    def prepare(self) -> None:
        self.place.settings["one_thread"] = True
        super().prepare()

    def command(self) -> list[str]:
        return self._serve("--workers", str(self.place.settings["threads"]))


class PythonThreads(_Gunicorn):
    """gunicorn with one child that has threads."""

    id = "python-threads"
    abilities = ALL_STEPS | _STORE_STEPS | {
        *("inside", "alone", "store", "pool", "call-pool", "places", "allocate", "leave"),
    }

    def prepare(self) -> None:
        self.place.settings["one_thread"] = False
        super().prepare()

    def command(self) -> list[str]:
        threads = str(self.place.settings["threads"])
        return self._serve("--workers", "1", "--worker-class", "gthread", "--threads", threads)


class PythonLoop(_Python):
    """uvicorn."""

    id = "python-loop"
    module = "uvicorn"
    abilities = ALL_STEPS | _STORE_STEPS | {
        *("inside", "alone", "pool", "call-pool", "block", "allocate", "together"),
    }
    request_cpu_ms = 1.6

    def command(self) -> list[str]:
        host, port = self.place.host, str(self.place.ports["http"])
        return self._start(
            *("uvicorn", "--app-dir", str(_SOURCES), "--host", host, "--port", port),
            *("--no-access-log", "--log-level", "warning", "loop:app"),
        )
