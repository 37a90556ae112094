"""Where things are."""

import os
from pathlib import Path

LAB = Path(__file__).resolve().parent.parent
ROOT = LAB.parent
CASES = LAB / "cases"
FAULTS = LAB / "faults"
CACHE = LAB / ".cache"


def state() -> Path:
    """The folder of the instances: PLIMSOLL_LAB_STATE, else lab/.state."""
    return Path(os.environ.get("PLIMSOLL_LAB_STATE") or LAB / ".state").absolute()


def plimsoll() -> Path:
    """The load generator: PLIMSOLL, else target/release/plimsoll. It may not be built."""
    return Path(os.environ.get("PLIMSOLL") or ROOT / "target" / "release" / "plimsoll").absolute()
