"""What every benchmark shares: cores, server, directories, and one measured run."""

import itertools
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from . import clients, proc, stats
from .nginx import Nginx
from .table import Table

SUBJECT = "plimsoll"


class RunFailed(Exception):
    """A client's run gave nothing to measure; the text says why."""


@dataclass(frozen=True)
class Measured:
    """One run, with the requests that nginx counted and the client's own summary."""

    name: str
    stdout: str
    wall_s: float
    cpu_s: float
    peak_rss_kib: int
    requests: int
    directory: Path

    @property
    def cpu_us_per_request(self) -> float:
        return self.cpu_s * 1e6 / self.requests

    @property
    def summary(self) -> str:
        """plimsoll's summary JSON."""
        return (self.directory / "summary.json").read_text()


@dataclass
class Context:
    """Handed to each benchmark."""

    nginx: Nginx
    directory: Path
    client_core: int
    server_core: int
    pairs: int
    table: Table = field(default_factory=Table)
    _numbers: itertools.count = field(default_factory=itertools.count)

    def has(self, name: str) -> bool:
        """Whether a client is there to be run."""
        return bool(clients.subject_binary() if name == SUBJECT else clients.binary(name))

    def why_absent(self, name: str) -> str:
        return "not built" if name == SUBJECT else "missing"

    def fresh_directory(self) -> Path:
        """A directory for one run's files."""
        path = self.directory / f"run-{next(self._numbers)}"
        path.mkdir()
        return path

    def start(self, name: str, job: clients.Job, extra: list[str] = ()) -> tuple:
        """Starts a client where its job says: (running, directory)."""
        directory = self.fresh_directory()
        argv = clients.COMMANDS[name](job, directory)
        # A peer's further arguments go before its URL or script, which some want last.
        argv = argv + list(extra) if name == SUBJECT else argv[:-1] + list(extra) + argv[-1:]
        core = self.client_core if job.pinned else None
        return proc.Running(name, argv, core, cwd=directory), directory

    def start_argv(self, name: str, argv: list[str], directory: Path) -> proc.Running:
        """Starts any command line on the client's core."""
        return proc.Running(name, argv, self.client_core, cwd=directory)

    def run(self, name: str, job: clients.Job, extra: list[str] = (),
            watch_memory: bool = False) -> Measured:
        """One run to its end. Raises RunFailed if it failed or nginx saw no request."""
        before = self.nginx.requests()
        running, directory = self.start(name, job, extra)
        finished = running.wait(job.duration_s * 2 + 60, watch_memory)
        requests = self.nginx.requests_since(before)
        # plimsoll's 4 says that its own core was the limit: that is what is asked of it here.
        allowed = (0, 4) if name in (SUBJECT, clients.BEFORE) else (0,)
        if finished.exit_code not in allowed or finished.timed_out:
            raise RunFailed(finished.complaint())
        if requests <= 0:
            raise RunFailed(f"{name}: nginx counted no request")
        return Measured(name, finished.stdout, finished.wall_s, finished.cpu_s,
                        finished.peak_rss_kib, requests, directory)

    def forget(self, measured: Measured) -> None:
        """Removes a run's files, so that a long benchmark does not fill the disk."""
        shutil.rmtree(measured.directory, ignore_errors=True)

    def note(self, text: str) -> None:
        """Progress, to standard error."""
        print(f"  {text}", file=sys.stderr, flush=True)

    def pairs_with(self, peer: str, job: clients.Job, rounds: int, measure,
                   run=None) -> "Pairs":
        """Interleaved runs of plimsoll and a peer; `measure(Measured)` → a number."""
        return self.all_pairs_with(peer, job, rounds, {"": measure}, run)[""]

    def all_pairs_with(self, peer: str, job: clients.Job, rounds: int, measures: dict,
                       run=None) -> dict[str, "Pairs"]:
        """The same with several measures of the same runs: name → function.

        What is absent or fails is left out, and said: the other side still runs.
        """
        problem = {name: self.why_absent(name) for name in (SUBJECT, peer) if not self.has(name)}
        result = {key: Pairs(peer, problem=problem) for key in measures}
        for index in range(rounds):
            values: dict[str, dict] = {key: {} for key in measures}
            for name in stats.order(index, SUBJECT, peer):
                if name in problem:
                    continue
                try:
                    measured = (run or self.run)(name, job)
                    for key, measure in measures.items():
                        values[key][name] = measure(measured)
                    self.forget(measured)
                except (RunFailed, OSError, ValueError, KeyError) as error:
                    problem[name] = f"{name}: {error}"
            for key in measures:
                result[key].add(values[key])
        for key, pairs in result.items():
            self.note(pairs.progress(key))
        return result


@dataclass
class Pairs:
    """The values of interleaved rounds, and why a side has none."""

    peer: str
    subject_values: list = field(default_factory=list)
    peer_values: list = field(default_factory=list)
    paired: list = field(default_factory=list)
    problem: dict = field(default_factory=dict)

    def add(self, values: dict) -> None:
        if SUBJECT in values:
            self.subject_values.append(values[SUBJECT])
        if self.peer in values:
            self.peer_values.append(values[self.peer])
        if len(values) == 2:
            self.paired.append((values[SUBJECT], values[self.peer]))

    def ratio(self) -> stats.Spread | None:
        """plimsoll / peer over the pairs; None without both sides."""
        return stats.Spread.of(stats.ratios(self.paired)) if self.paired else None

    def progress(self, what: str = "") -> str:
        ratio = self.ratio()
        said = f"ratio {ratio.median:.3f}" if ratio else "; ".join(
            f"{name}: {why}" for name, why in self.problem.items()) or "no pair"
        return f"{SUBJECT} beside {self.peer}{what and ', ' + what}: {said}"


def choose_cores() -> tuple[int, int]:
    """(client core, server core) of those allowed; the same one if there is only one."""
    allowed = sorted(os.sched_getaffinity(0))
    return allowed[-1], allowed[0]


def work_directory() -> tempfile.TemporaryDirectory:
    """Where configurations, certificates and runs lie until the end."""
    return tempfile.TemporaryDirectory(prefix="plimsoll-bench-")
