"""Go: net/http, with a goroutine for each request."""

import fcntl
import os
import subprocess
import sys

from ... import paths
from ...errors import LabError
from ...tiers.base import find_program
from .base import ALL_STEPS, SOURCES, Runtime

_SOURCES = SOURCES / "go"


class Go(Runtime):
    """lab/compose/go, under the service's own name."""

    id = "go"
    abilities = ALL_STEPS | {
        *("inside", "alone", "query", "get", "store", "allocate", "pool", "call-pool", "together", "leave"),
    }
    request_cpu_ms = 0.4

    @classmethod
    def missing(cls, jdk: int = 0, server: str | None = None) -> list[str]:
        return [] if find_program("go") else ["Go"]

    @classmethod
    def build(cls) -> None:
        paths.CACHE.mkdir(parents=True, exist_ok=True)
        made = paths.CACHE / "compose-go"
        newest = max(each.stat().st_mtime for each in _SOURCES.iterdir())
        with (paths.CACHE / ".compose-go.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if made.is_file() and made.stat().st_mtime >= newest:
                return
            print("lab: building compose/go", file=sys.stderr, flush=True)
            argv = ["go", "build", "-o", str(made), "."]
            done = subprocess.run(argv, cwd=_SOURCES, capture_output=True, text=True, check=False)
            if done.returncode:
                raise LabError(f"lab/compose/go could not be built: {done.stderr[-800:]}")
            os.utime(made)

    def prepare(self) -> None:
        super().prepare()
        own = self.place.directory / self.place.tier.name
        own.unlink(missing_ok=True)
        os.link(paths.CACHE / "compose-go", own) if _same_device(own) else _copy(own)

    def command(self) -> list[str]:
        return [str(self.place.directory / self.place.tier.name), str(self.configuration)]


class GoJobs(Go):
    """The same as workers, which take jobs from a list in Redis and respond to nobody."""

    id = "go-jobs"
    abilities = Go.abilities | {"places"}
    has_threads = True
    takes_jobs = True


def _same_device(own) -> bool:
    return os.stat(paths.CACHE).st_dev == os.stat(own.parent).st_dev


def _copy(own) -> None:
    own.write_bytes((paths.CACHE / "compose-go").read_bytes())
    own.chmod(0o755)
