"""Processes by id and start time, which together name one for ever."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .errors import LabError

_children: list[subprocess.Popen] = []
"""What this process started: it asks for their end, so that none stays a zombie."""

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Process:
    """A process; start_time is in clock ticks since boot."""

    pid: int
    start_time: int

    def alive(self) -> bool:
        """Whether it runs: a zombie does not, nor does another that got its id."""
        stat = _stat(self.pid)
        return stat is not None and stat.start_time == self.start_time and stat.state not in "ZX"


@dataclass(frozen=True)
class _Stat:
    state: str
    parent: int
    session: int
    start_time: int
    cpu_ticks: int


def _stat(pid: int) -> _Stat | None:
    try:
        # The name is in parentheses and may hold blanks: count fields behind it.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (OSError, UnicodeDecodeError):
        return None
    return _Stat(
        fields[0],
        int(fields[1]),
        int(fields[3]),
        int(fields[19]),
        int(fields[11]) + int(fields[12]),
    )


def identify(pid: int) -> Process | None:
    """The process that has this id now."""
    stat = _stat(pid)
    return Process(pid, stat.start_time) if stat else None


def spawn(
    argv: list[str],
    log: Path,
    directory: Path,
    environment: dict[str, str],
    prepare: Callable[[], None],
) -> tuple[Process, subprocess.Popen]:
    """Starts a process in a session of its own; `prepare` runs in it first."""
    with log.open("ab") as out:
        try:
            child = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                cwd=directory,
                env=environment,
                start_new_session=True,
                preexec_fn=prepare,
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise LabError(f"{argv[0]} cannot be started: {error}") from error
    _children.append(child)
    process = identify(child.pid)
    if process is None:
        raise LabError(f"{argv[0]} ended at once")
    return process, child


def _pids() -> list[int]:
    return [int(each) for each in os.listdir("/proc") if each.isdigit()]


def with_children(process: Process) -> list[int]:
    """Its id and those of all below it."""
    children: dict[int, list[int]] = {}
    for pid in _pids():
        stat = _stat(pid)
        if stat:
            children.setdefault(stat.parent, []).append(pid)
    found = [process.pid] if process.alive() else []
    for pid in found:
        found += children.get(pid, [])
    return found


def cpu_s(process: Process) -> float:
    """CPU time of it and those below it since each began, in s."""
    stats = [_stat(pid) for pid in with_children(process)]
    return sum(each.cpu_ticks for each in stats if each) / TICKS_PER_S


def session_members(session: int, directory: Path) -> list[Process]:
    """What was started by a process of ours, stands in its folder, and outlived it."""
    found = []
    for pid in _pids():
        stat = _stat(pid)
        if stat is None or stat.session != session:
            continue
        with contextlib.suppress(OSError):
            if Path(os.readlink(f"/proc/{pid}/cwd")).is_relative_to(directory):
                found.append(Process(pid, stat.start_time))
    return found


def send(process: Process, which: int) -> None:
    """A signal to this process and no other; nothing if it ended."""
    with contextlib.suppress(ProcessLookupError):
        handle = os.pidfd_open(process.pid)
        try:
            if process.alive():
                signal.pidfd_send_signal(handle, which)
        finally:
            os.close(handle)


def wait_until_gone(processes: list[Process], seconds: float) -> list[Process]:
    """Those that still run after that time."""
    end = time.monotonic() + seconds
    while True:
        processes = [each for each in processes if each.alive()]
        if not processes or time.monotonic() > end:
            return processes
        time.sleep(0.02)


def stop(processes: list[Process], seconds: float = 10) -> None:
    """Asks them to end; kills what does not react in that time."""
    for each in processes:
        send(each, signal.SIGTERM)
        send(each, signal.SIGCONT)  # a frozen one cannot react
    left = wait_until_gone(processes, seconds)
    for each in left:
        send(each, signal.SIGKILL)
    left = wait_until_gone(left, 10)
    if left:
        raise LabError(f"process {left[0].pid} cannot be killed")
