"""Runs `plimsoll diagnose`."""

import json
import subprocess
import time
from pathlib import Path

from . import load
from .errors import LabError

SUFFIX = ".evidence.gz"
"""Of files with saved evidence."""
_TIMEOUT_S = 120


def diagnose(run: Path) -> tuple[dict, float]:
    """The diagnosis of a run or of saved evidence, and how long it took, in s."""
    what = ["--evidence", str(run)] if run.name.endswith(SUFFIX) else [str(run)]
    argv = [str(load.generator()), "--lang", "en", "diagnose", *what, "--json"]
    begin = time.monotonic()
    try:
        done = subprocess.run(
            argv, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        raise LabError(f"{run.name}: no diagnosis within {_TIMEOUT_S} s") from None
    seconds = time.monotonic() - begin
    try:
        found = json.loads(done.stdout)
    except ValueError:
        last = (done.stderr.strip() or done.stdout.strip())[-400:]
        raise LabError(f"{run.name}: no diagnosis (exit code {done.returncode}): {last}") from None
    return found, seconds
