"""The same recordings with less to see: as they would be at a lower level, or where packets may not be looked at."""

import contextlib
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_RUN = "run.sqlite"


@dataclass(frozen=True)
class Level:
    """What it is called, and the captures that are not there: those of a kind, or all."""

    name: str
    left_out: str | None = None
    all_left_out: bool = False


FULL = Level("all rights, captures allowed")
LOWER = (
    Level("captures without packets", left_out="wire"),
    Level("no captures (observe)", all_left_out=True),
)


@contextlib.contextmanager
def seen(run: Path, level: Level) -> Iterator[Path]:
    """The run as that level has it: itself, or a copy without what is left out."""
    if level == FULL:
        yield run
        return
    with tempfile.TemporaryDirectory(prefix="plimsoll-lab-") as folder:
        copy = Path(folder) / run.name
        shutil.copytree(run, copy)
        with contextlib.closing(sqlite3.connect(copy / _RUN)) as store, store:
            if level.all_left_out:
                store.execute("DELETE FROM captures")
            else:
                store.execute("DELETE FROM captures WHERE kind = ?", (level.left_out,))
        yield copy
