"""Starts a process, on one core if told to, and measures what it used."""

import os
import select
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from . import parse

TICK_S = 1 / os.sysconf("SC_CLK_TCK")

_live: "set[Running]" = set()


def stop_all() -> None:
    """Ends whatever this harness started and has not waited for."""
    for running in list(_live):
        running.signal(signal.SIGTERM)
        running.wait(0)


@dataclass(frozen=True)
class Finished:
    """What a finished process left behind. cpu_s is user + system of its whole tree."""

    name: str
    exit_code: int
    timed_out: bool
    wall_s: float
    cpu_s: float
    peak_rss_kib: int
    stdout: str
    stderr: str

    def complaint(self) -> str:
        """One line on how it failed."""
        lines = [line for line in (self.stderr + self.stdout).splitlines() if line.strip()]
        reason = "timed out" if self.timed_out else f"exit code {self.exit_code}"
        return f"{self.name}: {reason}" + (f": {lines[-1].strip()[:160]}" if lines else "")


class Running:
    """A started process. Ended by its process id only."""

    def __init__(self, name: str, argv: list[str], core: int | None, env: dict | None = None,
                 cwd: Path | None = None):
        """`core`: where alone it runs; None: on any."""
        self.name = name
        self._out = tempfile.TemporaryFile()
        self._err = tempfile.TemporaryFile()
        own_cores = os.sched_getaffinity(0)
        # The child inherits the core. Unlike `taskset`, this costs no second exec,
        # which would count in the wall time of a one-request run.
        os.sched_setaffinity(0, own_cores if core is None else {core})
        try:
            self._start = time.monotonic()
            self._popen = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=self._out, stderr=self._err,
                env={**os.environ, **(env or {})}, cwd=cwd,
            )
        finally:
            os.sched_setaffinity(0, own_cores)
        self.pid = self._popen.pid
        self._pidfd = os.pidfd_open(self.pid)
        self._peak_rss_kib = 0
        _live.add(self)

    def signal(self, number: int) -> None:
        """Sends a signal, if it still runs."""
        try:
            signal.pidfd_send_signal(self._pidfd, number)
        except ProcessLookupError:
            pass

    def ended_within(self, seconds: float) -> bool:
        """Waits; true as soon as the process has ended."""
        return bool(select.select([self._pidfd], [], [], max(0.0, seconds))[0])

    def status_kib(self, field: str) -> int:
        """A memory field of /proc/PID/status in KiB (0 once it has ended)."""
        try:
            return parse.status_kib(Path(f"/proc/{self.pid}/status").read_text(), field)
        except OSError:
            return 0

    def cpu_s(self) -> float:
        """CPU seconds used so far by all threads (grain: one clock tick)."""
        return parse.stat_cpu_ticks(Path(f"/proc/{self.pid}/stat").read_text()) * TICK_S

    def stdout_so_far(self) -> str:
        """What it has printed until now."""
        return _text(self._out)

    def wait(self, timeout_s: float, watch_memory: bool = False) -> Finished:
        """Waits for the end; after timeout_s interrupts, then kills it."""
        deadline = self._start + timeout_s
        ended = self._watch(deadline) if watch_memory else self.ended_within(
            deadline - time.monotonic())
        for number in (signal.SIGINT, signal.SIGKILL):
            if ended:
                break
            self.signal(number)
            if self.ended_within(5):
                break
        wall_s = time.monotonic() - self._start
        _, status, usage = os.wait4(self.pid, 0)
        self._popen.returncode = os.waitstatus_to_exitcode(status)
        os.close(self._pidfd)
        _live.discard(self)
        with self._out, self._err:
            stdout, stderr = _text(self._out), _text(self._err)
        return Finished(
            name=self.name,
            exit_code=self._popen.returncode,
            timed_out=not ended,
            wall_s=wall_s,
            cpu_s=usage.ru_utime + usage.ru_stime,
            peak_rss_kib=self._peak_rss_kib,
            stdout=stdout,
            stderr=stderr,
        )

    def _watch(self, deadline: float) -> bool:
        # ru_maxrss will not do: over fork and exec it keeps the peak of this Python
        # process. VmHWM begins anew at exec and never falls, so the last reading
        # before the end misses at most what the last 10 ms added.
        while True:
            self._peak_rss_kib = max(self._peak_rss_kib, self.status_kib("VmHWM"))
            if self.ended_within(0.01):
                return True
            if time.monotonic() >= deadline:
                return False


def _text(file) -> str:
    file.flush()
    size = os.fstat(file.fileno()).st_size
    return os.pread(file.fileno(), size, 0).decode(errors="replace")
