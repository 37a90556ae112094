"""Turns recordings into fixtures: saved evidence of each state, and the truth beside it.

A fixture is a recording like any other, whose runs are files `CASE-SEED-STATE.evidence.gz`: rules
are tested on them without servers, and `score` judges them as it judges runs.
"""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import evidence, load, paths
from .errors import LabError

SUFFIX = ".evidence.gz"
FOLDER = paths.ROOT / "tests" / "diagnose"
_TIMEOUT_S = 120


@dataclass
class Made:
    """A file of evidence."""

    file: Path
    bytes: int


def make(recorded: Path, folder: Path, say) -> list[Made]:
    """A fixture of each recording; those of the same case and seed are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for recording in evidence.read_all(recorded):
        stem = evidence.stem(recording["case"], recording["seed"])
        say(stem)
        for state, facts in recording["states"].items():
            file = folder / f"{stem}-{state}{SUFFIX}"
            _save(recorded / facts["run"], file)
            facts["run"] = file.name
            found.append(Made(file, file.stat().st_size))
        text = json.dumps(recording, indent=1, ensure_ascii=False)
        (folder / f"{stem}.json").write_text(text + "\n", encoding="utf-8")
    if not found:
        raise LabError(f"{recorded} holds no recordings; plimsoll-lab evidence makes them")
    return found


def _save(run: Path, file: Path) -> None:
    argv = [str(load.generator()), "diagnose", str(run), "--save-evidence", str(file)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S)
    if done.returncode:
        raise LabError(f"{run.name}: no evidence saved: {done.stderr.strip()[-400:]}")


def report(made: list[Made]) -> str:
    """How large they are, the largest last."""
    lines = [f"{each.bytes / 1024:8.0f} KiB  {each.file.name}" for each in made]
    lines.sort()
    total = sum(each.bytes for each in made)
    return "\n".join([*lines, f"{total / 1024:8.0f} KiB  in {len(made)} files"])
