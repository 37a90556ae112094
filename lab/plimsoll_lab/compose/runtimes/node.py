"""Node: its http server, one event loop."""

import fcntl
import subprocess
import sys

from ...errors import LabError
from ...tiers.base import find_program, program
from .base import ALL_STEPS, SOURCES, Runtime

_SOURCES = SOURCES / "node"


class Node(Runtime):
    """lab/compose/node."""

    id = "node"
    abilities = ALL_STEPS | {
        *("inside", "alone", "query", "get", "store", "allocate", "pool", "call-pool", "block", "together",
          "leave"),
    }
    request_cpu_ms = 0.6
    cores = 1
    makes_kib_per_ms = 3300

    @classmethod
    def missing(cls, jdk: int = 0, server: str | None = None) -> list[str]:
        wanted = ["node"] if (_SOURCES / "node_modules").is_dir() else ["node", "npm"]
        return [each for each in wanted if not find_program(each)]

    @classmethod
    def build(cls) -> None:
        with (_SOURCES / "package.json").open() as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            made = _SOURCES / "node_modules" / ".package-lock.json"
            if made.is_file():
                return
            print("lab: fetching the packages of compose/node", file=sys.stderr, flush=True)
            argv = [program("npm"), "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
            done = subprocess.run(argv, cwd=_SOURCES, capture_output=True, text=True, check=False)
            if done.returncode:
                raise LabError(f"npm ci fails in lab/compose/node: {done.stderr[-500:]}")

    def command(self) -> list[str]:
        return [program("node"), str(_SOURCES / "desk.js"), str(self.configuration)]
