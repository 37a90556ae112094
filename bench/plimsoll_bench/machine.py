"""What the results depend on: processor, kernel, versions, commit."""

import datetime
import os
import platform
import re
import resource
import subprocess
import time
from pathlib import Path

from . import clients, nginx

WANTED_FILES = 65536


def raise_file_limit() -> int:
    """Raises the limit of open files for this process and its children; returns it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for limit in ((WANTED_FILES, max(hard, WANTED_FILES)), (hard, hard)):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, limit)
            return limit[0]
        except (ValueError, OSError):
            continue
    return soft


def load_average() -> float:
    """Of the last minute."""
    return os.getloadavg()[0]


def _cpu_model() -> str:
    found = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found[1] if found else platform.machine()


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(clients.ROOT), *arguments], capture_output=True,
                          text=True, check=False)
    return done.stdout.strip()


def _commit() -> str:
    commit = _git("rev-parse", "--short=12", "HEAD") or "unknown"
    changed = _git("status", "--porcelain", "--untracked-files=no", "--", "crates", "bench")
    return commit + (" with local changes" if changed else "")


def time_text(seconds: float) -> str:
    """A time since the epoch, to the minute."""
    when = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return when.strftime("%Y-%m-%d %H:%M UTC")


def basics() -> list[str]:
    """Commit and machine, as items of a list."""
    return [
        f"- commit: {_commit()}",
        f"- machine: {_cpu_model()}, {os.cpu_count()} cores, Linux {platform.release()}",
    ]


def heading(pairs: int, cores: tuple[int, int], load_before: float) -> str:
    """The lines above the table."""
    versions = [f"plimsoll {clients.version('plimsoll') or 'not built'}",
                f"nginx {nginx.version()}"]
    versions += [f"{name} {clients.version(name) or 'missing'}" for name in clients.PEER_NAMES]
    lines = [
        "# Benchmark results",
        "",
        "Written by `make bench`; how to read it: [README.md](README.md).",
        "",
        f"- date: {time_text(time.time())}",
        *basics(),
        f"- client on core {cores[0]}, server on core {cores[1]}; "
        f"{pairs} interleaved pairs for each yardstick",
        f"- load average of the machine before the run: {load_before:.2f}",
        "- versions: " + ", ".join(versions),
    ]
    if cores[0] == cores[1]:
        lines.append("- **one core only: client and server share it; do not trust these numbers**")
    if load_before > 0.5:
        lines.append("- **the machine was busy with other work; do not trust these numbers**")
    if pairs < 9:
        lines.append("- **fewer than 9 pairs: a quick look, no result**")
    return "\n".join(lines) + "\n"
