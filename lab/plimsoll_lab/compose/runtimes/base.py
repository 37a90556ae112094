"""What a runtime is: a program that runs the steps of a service, as a kind of tier."""

import json
import os
import signal
from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path

from ... import paths, process
from ...tiers.base import Kind, answers

SOURCES = paths.LAB / "compose"
ALL_STEPS = frozenset({"work", "pause", "call", "body", "refuse"})
"""What every runtime can do."""


@dataclass
class Look:
    """The sums of one process of a service, as it wrote them."""

    requests: int
    failed: int
    total_ms: float
    sums: dict[str, float]
    histogram: list[int]


class Runtime(Kind):
    """A kind of tier that runs a service of a composition; its settings are the service's file."""

    id = ""
    abilities: frozenset[str] = ALL_STEPS
    """Steps it can do, and `threads` (a number of places that can limit), `one-loop`, `cores`."""
    request_cpu_ms = 0.5
    """What a request with next to nothing to do costs it, about."""
    round_factor = 1.0
    """So many rounds of a step `work` take as long as one of Go."""
    makes_kib_per_ms = 2400
    """So much of small things it makes and throws away in a ms of CPU, about."""
    cores = 2
    """CPUs that its computing can use at once."""
    speaks = "http"
    has_threads = False
    takes_jobs = False
    """Whether it is given jobs by a list in Redis, and no requests."""
    ask_signal = signal.SIGUSR2
    """Has a process write its sums."""
    warms_up = False
    """Whether it is much slower at first."""

    @classmethod
    def spare_threads(cls, users: int) -> int:
        """Threads, or children, that let nobody wait."""
        return 2 * users

    @property
    def configuration(self) -> Path:
        """The file with the service's settings."""
        return self.place.directory / "conf.json"

    def prepare(self) -> None:
        self.place.directory.mkdir(exist_ok=True)
        text = json.dumps(self.place.settings, indent=1, ensure_ascii=False)
        self.configuration.write_text(text + "\n", encoding="utf-8")

    @abstractmethod
    def command(self) -> list[str]:
        """The process to start."""

    def is_ready(self) -> bool:
        return answers(self.place.host, self.place.ports["http"], "/ready")

    @classmethod
    def recorders(cls, main: process.Process) -> list[process.Process]:
        """The processes that keep sums: of a server with workers, these alone."""
        return [main]

    @classmethod
    def ask(cls, main: process.Process) -> None:
        """Has each process write its sums."""
        for each in cls.recorders(main):
            process.send(each, cls.ask_signal)

    @classmethod
    def written(
        cls, main: process.Process, folder: Path, name: str, since_ns: int
    ) -> list[Look] | None:
        """What they wrote since then; None: not all of them did. `name` is the service's."""
        found = []
        for each in cls.recorders(main):
            path = folder / f"{name}.{each.pid}.json"
            try:
                if os.stat(path).st_mtime_ns < since_ns:
                    return None
                data = json.loads(path.read_text(encoding="utf-8"))
            except (OSError, ValueError):
                return None
            found.append(look(data))
        return found

    @classmethod
    def end(cls, settings: dict) -> None:
        """Removes what its processes leave behind outside of their folder."""

    def facts(self) -> dict[str, object]:
        return {"url": f"http://{self.place.host}:{self.place.ports['http']}"}


def look(data: dict) -> Look:
    """The sums of a file."""
    return Look(
        data["requests"],
        data["failed"],
        data["total_ms"],
        data["sums"],
        data["histogram_log2_us"],
    )
