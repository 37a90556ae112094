"""A load of nobody's on the same machine while a composition is recorded: another service and its client."""

import contextlib
import random
import subprocess
import sys
from collections.abc import Iterator

from .. import paths
from ..errors import LabError

SCRIPT = paths.LAB / "compose" / "unrelated" / "unrelated.py"


def draw(seed: int | str) -> dict:
    """How much of it stands beside the composition of a seed: a fifth to three fifths of a CPU for its
    computing, and about as much again for asking and responding."""
    source = random.Random(f"unrelated/{seed}")
    work_ms = round(source.uniform(1.0, 4.0), 1)
    return {"rate_per_s": round(source.uniform(0.2, 0.6) * 1e3 / work_ms), "work_ms": work_ms}


@contextlib.contextmanager
def beside(wanted: dict | None) -> Iterator[None]:
    """That load goes on while the block runs; nothing does if there is none."""
    if wanted is None:
        yield
        return
    argv = [sys.executable, str(SCRIPT), str(wanted["rate_per_s"]), str(wanted["work_ms"])]
    child = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        if not child.stdout.readline().strip().isdigit():
            raise LabError("the unrelated load did not start")
        yield
        if child.poll() is not None:
            raise LabError("the unrelated load ended too early")
    finally:
        child.stdin.close()
        child.wait(timeout=20)
        child.stdout.close()
