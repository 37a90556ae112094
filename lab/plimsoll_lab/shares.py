"""Shares of the CPUs: control groups (version 1 or 2); where these cannot be written, affinity.

A share is described by a plain dictionary that goes into instance.json: `join` and `remove` need
nothing else.
"""

import contextlib
import math
import os
import time
from pathlib import Path

from .casefile import Share

PERIOD_US = 100_000
# What else runs on the machine must not starve the lab while it is measured: eight times the weight
# of a single process, or of a group, that nobody gave a weight.
_WEIGHT = 8
ROOT_NAME = "plimsoll-lab"
CGROUPS = Path("/sys/fs/cgroup")


def mechanism(root: Path = CGROUPS) -> str:
    """`v1`, `v2`, or `affinity` if no control group can be made here."""
    if (root / "cgroup.controllers").is_file():
        controllers = (root / "cgroup.controllers").read_text().split()
        usable = {"cpu", "cpuset"} <= set(controllers) and os.access(root, os.W_OK)
        return "v2" if usable else "affinity"
    if all(
        (root / name).is_dir() and os.access(root / name, os.W_OK) for name in ("cpu", "cpuset")
    ):
        return "v1"
    return "affinity"


def allowed_cpus() -> list[int]:
    """The CPUs this process may use; a case's CPU n is the n-th of them."""
    return sorted(os.sched_getaffinity(0))


def create(
    instance: str, name: str, share: Share, root: Path = CGROUPS, first: bool = False
) -> dict:
    """Makes a share; `instance` is unique on this machine. Who goes first waits for nobody."""
    cpus = allowed_cpus()
    # A CPU that is not there becomes one that is: cases are made for 2 and run on more or fewer.
    chosen = sorted({cpus[each % len(cpus)] for each in share.cpuset}) or cpus
    made = {"mechanism": mechanism(root), "cpu": share.cpu, "cpuset": chosen, "dirs": []}
    if made["mechanism"] == "v1":
        made["dirs"] = [
            str(_v1_cpu(root, instance, name, share.cpu, first)),
            str(_v1_cpuset(root, instance, name, chosen)),
        ]
    elif made["mechanism"] == "v2":
        made["dirs"] = [str(_v2(root, instance, name, share.cpu, chosen, first))]
    elif share.cpu:
        made["cpuset"] = chosen[: max(1, math.ceil(share.cpu))]
    return made


def _write(file: Path, value: object) -> None:
    # Only when it differs: a group in use refuses some values that it has already.
    if file.exists() and file.read_text().strip() == str(value):
        return
    file.write_text(str(value))


def _v1_cpu(root: Path, instance: str, name: str, cpu: float | None, first: bool) -> Path:
    group = root / "cpu" / ROOT_NAME / instance / name
    group.mkdir(parents=True, exist_ok=True)
    _write(root / "cpu" / ROOT_NAME / "cpu.shares", _WEIGHT * 1024)
    _write(group / "cpu.shares", (_WEIGHT if first else 1) * 1024)
    _write(group / "cpu.cfs_period_us", PERIOD_US)
    _write(group / "cpu.cfs_quota_us", round(cpu * PERIOD_US) if cpu else -1)
    return group


def _v1_cpuset(root: Path, instance: str, name: str, cpus: list[int]) -> Path:
    group = root / "cpuset"
    for part in (ROOT_NAME, instance, name):
        above, group = group, group / part
        group.mkdir(exist_ok=True)
        # A new set is empty, and nothing may enter it until it has CPUs and memory.
        for file in ("cpuset.cpus", "cpuset.mems"):
            if not (group / file).is_file() or not (group / file).read_text().strip():
                _write(group / file, (above / file).read_text().strip())
    _write(group / "cpuset.cpus", ",".join(map(str, cpus)))
    return group


def _v2(
    root: Path, instance: str, name: str, cpu: float | None, cpus: list[int], first: bool
) -> Path:
    group = root
    for part in (ROOT_NAME, instance, name):
        with contextlib.suppress(OSError):
            (group / "cgroup.subtree_control").write_text("+cpu +cpuset")
        group = group / part
        group.mkdir(exist_ok=True)
    _write(root / ROOT_NAME / "cpu.weight", _WEIGHT * 100)
    _write(group / "cpu.weight", (_WEIGHT if first else 1) * 100)
    _write(group / "cpu.max", f"{round(cpu * PERIOD_US) if cpu else 'max'} {PERIOD_US}")
    _write(group / "cpuset.cpus", ",".join(map(str, cpus)))
    return group


def join(made: dict) -> None:
    """Puts the calling process, and so what it starts, into the share."""
    for group in made["dirs"]:
        Path(group, "cgroup.procs").write_text("0")
    if made["mechanism"] == "affinity":
        os.sched_setaffinity(0, made["cpuset"])
        if made["cpu"]:
            os.nice(5)


def members(made: dict) -> list[int]:
    """The processes in a share that is a control group."""
    found: set[int] = set()
    for group in made["dirs"]:
        with contextlib.suppress(OSError):
            found |= {int(each) for each in Path(group, "cgroup.procs").read_text().split()}
    return sorted(found)


def set_cpu(made: dict, share: Share) -> None:
    """Changes how much a share gives."""
    made["cpu"] = share.cpu
    for group in map(Path, made["dirs"]):
        if (group / "cpu.max").exists():
            _write(
                group / "cpu.max",
                f"{round(share.cpu * PERIOD_US) if share.cpu else 'max'} {PERIOD_US}",
            )
        elif (group / "cpu.cfs_quota_us").exists():
            _write(group / "cpu.cfs_quota_us", round(share.cpu * PERIOD_US) if share.cpu else -1)


def remove(made: dict) -> list[str]:
    """Removes the groups of a share and those above that are empty; gives back what stays."""
    left = []
    for group in map(Path, made["dirs"]):
        if not _remove_group(group):
            left.append(str(group))
            continue
        for above in (group.parent, group.parent.parent):
            with contextlib.suppress(OSError):
                above.rmdir()
    return left


def _remove_group(group: Path) -> bool:
    # A process that just ended may still be counted for a moment.
    for _ in range(100):
        try:
            group.rmdir()
            return True
        except FileNotFoundError:
            return True
        except OSError:
            time.sleep(0.02)
    return False


def say(made: dict) -> str:
    """In words, for people."""
    if made["mechanism"] == "affinity":
        nice = ", nice 5, since no control group can be written here" if made["cpu"] else ""
        return f"CPUs {_list(made['cpuset'])} by affinity{nice}"
    quota = f"{made['cpu']:g} CPUs of " if made["cpu"] else ""
    return f"{quota}CPUs {_list(made['cpuset'])} (cgroup {made['mechanism']})"


def _list(cpus: list[int]) -> str:
    return ",".join(map(str, cpus))
