"""Loads a composition, and reads meanwhile what the services and the kernel say of their time."""

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .. import load, network, process, shares, watching
from ..errors import LabError
from ..tiers import mariadb
from . import runtimes
from .runtimes.base import Look
from .system import System

Say = Callable[[str], None]
"""Tells a person how far it is."""

_WRITTEN_WITHIN_S = 2.0
_PROBE_S = 3
_BEFORE_THE_END_S = 0.3


@dataclass
class Kernel:
    """What the kernel says of a tier's processes, in s: on a CPU, and wanting one."""

    running: float
    wanting: float


@dataclass
class Measured:
    """One load."""

    summary: dict
    window_s: float
    services: dict[str, Look]
    """What each service spent on the requests of the window; missing where it was not written."""
    kernel: dict[str, Kernel]
    others_cpu: float
    run: Path | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def per_s(self) -> float:
        """Requests a second."""
        return self.summary["total"]["throughput_per_s"]

    @property
    def mean_ms(self) -> float:
        """The mean response time."""
        return self.summary["total"]["response_time_ms"]["mean"]

    def facts(self) -> dict:
        """What a person is told."""
        total, generator = self.summary["total"], self.summary["generator"]
        return {
            "per_s": round(self.per_s, 1),
            "mean_ms": round(self.mean_ms, 2),
            "p50_ms": round(total["response_time_ms"]["p50"], 2),
            "p99_ms": round(total["response_time_ms"]["p99"], 2),
            "error_share": round(total["error_rate"], 4),
            "others_cpu": round(self.others_cpu, 2),
            "generator": generator["reasons"] if generator["limited"] else [],
            "load_average": round(os.getloadavg()[0], 1),
            "warnings": self.warnings,
        }


def plan(system: System, warm_up_s: float, duration_s: float) -> dict:
    """The load's plan."""
    wanted = system.composition["load"]
    first = system.composition["services"][0]
    values = {
        "users": wanted["users"],
        "path": first["path"],
        "warm_up_s": warm_up_s,
        "duration_s": duration_s,
        "timeout_s": 20,
        "think_ms": wanted["think_ms"],
    }
    return load.plan(values, f"load-{system.composition['seed']}", system.entry["url"])


def measure(
    system: System, warm_up_s: float, duration_s: float, watch: list[str] | None = None
) -> Measured:
    """One load; watched if options of plimsoll are given for that."""
    directory = system.running.directory
    file, plan_file, log = (directory / each for each in ("summary.json", "plan.json", "load.log"))
    file.unlink(missing_ok=True)
    plan_file.write_text(json.dumps(plan(system, warm_up_s, duration_s)), encoding="utf-8")
    runs = directory / "runs"
    shutil.rmtree(runs, ignore_errors=True)
    argv = [str(load.generator()), "run", str(plan_file), "--quiet"]
    argv += ["--summary-json", str(file), "--out", str(runs)]
    if watch:
        # More load, after what is measured, shows whether requests wait for each other.
        argv += [*watch, f"--probe={_PROBE_S}s"]
    share = system.running.facts["load"]["share"]
    with log.open("wb") as out:
        with network.entered(system.running.facts["load"]["netns"]):
            child = subprocess.Popen(
                argv,
                preexec_fn=lambda: shares.join(share),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env={**os.environ, watching.PASSWORD: mariadb.PASSWORD},
            )
        try:
            found = _watch(system, child, warm_up_s, duration_s)
        except BaseException:
            child.kill()
            child.wait()
            raise
    try:
        found.summary = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        tail = log.read_text(errors="replace")[-800:]
        raise LabError(f"the load gave no summary (exit {child.returncode}): {tail}") from error
    made = [each for each in runs.iterdir() if each.is_dir()] if runs.is_dir() else []
    found.run = made[0] if len(made) == 1 else None
    return found


def _watch(system: System, child, warm_up_s: float, duration_s: float) -> Measured:
    """Takes the sums when the warm-up is over and shortly before the end."""
    begin = time.monotonic()
    _wait(child, warm_up_s)
    first, first_s, others = looks(system), time.monotonic(), _others(system, child)
    _wait(child, begin + warm_up_s + duration_s - _BEFORE_THE_END_S - time.monotonic())
    ended = child.poll() is not None
    last, last_s, others_after = looks(system), time.monotonic(), _others(system, child)
    if not _wait(child, 120):
        raise LabError("the load did not end")
    window_s = max(last_s - first_s, 0.1)
    services, kernel, warnings = {}, {}, ["the load ended early"] if ended else []
    for name, (was, is_) in _pairs(first.services, last.services).items():
        services[name] = between(was, is_)
    for name in last.missing | first.missing:
        warnings.append(f"{name} wrote no sums")
    for name, (was, is_) in _pairs(first.kernel, last.kernel).items():
        kernel[name] = Kernel(
            is_.running - was.running, sum_of_new(was.threads, is_.threads)
        )
    return Measured(
        {}, window_s, services, kernel, max(others_after - others, 0) / window_s, None, warnings
    )


def _pairs(first: dict, last: dict) -> dict:
    return {key: (first[key], last[key]) for key in last if key in first}


@dataclass
class Threads:
    """CPU time so far of a tier, and how long each of its threads wanted a CPU, in s."""

    running: float
    threads: dict[int, float]


@dataclass
class Looks:
    """All sums of one moment."""

    services: dict[str, Look]
    kernel: dict[str, Threads]
    missing: set[str]


def looks(system: System) -> Looks:
    """Asks the services for their sums and reads the kernel's."""
    asked_ns = time.time_ns()
    services = {each["name"]: each["runtime"] for each in system.composition["services"]}
    for name, runtime in services.items():
        runtimes.find(runtime).ask(system.main(name))
    kernel = {each["name"]: _threads(system.main(each["name"])) for each in system.running.facts["tiers"]}
    found: dict[str, Look] = {}
    end = time.monotonic() + _WRITTEN_WITHIN_S
    left = dict(services)
    while left and time.monotonic() < end:
        for name, runtime in list(left.items()):
            written = runtimes.find(runtime).written(
                system.main(name), system.records, name, asked_ns - 20_000_000
            )
            if written is not None:
                found[name] = _sum(written)
                del left[name]
        time.sleep(0.01)
    return Looks(found, kernel, set(left))


def _sum(looks_: list[Look]) -> Look:
    made = Look(0, 0, 0.0, {}, [0] * 32)
    for each in looks_:
        made.requests += each.requests
        made.failed += each.failed
        made.total_ms += each.total_ms
        made.histogram = [a + b for a, b in zip(made.histogram, each.histogram, strict=True)]
        for key, value in each.sums.items():
            made.sums[key] = made.sums.get(key, 0.0) + value
    return made


def between(was: Look, is_: Look) -> Look:
    """What was added between two looks."""
    return Look(
        is_.requests - was.requests,
        is_.failed - was.failed,
        is_.total_ms - was.total_ms,
        {key: value - was.sums.get(key, 0.0) for key, value in is_.sums.items()},
        [b - a for a, b in zip(was.histogram, is_.histogram, strict=True)],
    )


def _threads(main: process.Process) -> Threads:
    wanted: dict[int, float] = {}
    for pid in process.with_children(main):
        with contextlib.suppress(OSError):
            for task in os.scandir(f"/proc/{pid}/task"):
                with contextlib.suppress(OSError, ValueError, IndexError):
                    waited_ns = int(Path(task.path, "schedstat").read_text().split()[1])
                    wanted[int(task.name)] = waited_ns / 1e9
    return Threads(process.cpu_s(main), wanted)


def sum_of_new(was: dict[int, float], is_: dict[int, float]) -> float:
    """How long threads wanted a CPU between two looks; one that is new began at nothing."""
    return sum(max(value - was.get(task, 0.0), 0.0) for task, value in is_.items())


def _others(system: System, child) -> float:
    """CPU time so far of all that is neither the system nor the load, in s."""
    user, nice, kernel, _idle, _iowait, irq, softirq, *_ = (
        int(each) for each in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    )
    busy_s = (user + nice + kernel + irq + softirq) / process.TICKS_PER_S
    own_s = sum(process.cpu_s(system.main(each["name"])) for each in system.running.facts["tiers"])
    generator = process.identify(child.pid)
    return busy_s - own_s - (process.cpu_s(generator) if generator else 0.0)


def _wait(child, seconds: float) -> bool:
    """Whether it ended within that time."""
    try:
        child.wait(max(seconds, 0))
    except subprocess.TimeoutExpired:
        return False
    return True
