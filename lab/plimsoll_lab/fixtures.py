"""Turns recordings into fixtures: saved evidence of each state, and the truth beside it.

A fixture is a recording like any other, whose runs are files `CASE-SEED-STATE.evidence.gz`: rules
are tested on them without servers, and `score` judges them as it judges runs.
"""

import gzip
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import diagnosis, evidence, judge, load, paths
from .compose import record
from .diagnosis import SUFFIX
from .errors import LabError

FOLDER = paths.ROOT / "tests" / "diagnose"
DRAWN = "drawn"
"""The folder within it for what was drawn."""
OPEN = "open.json"
"""What is known not to come out right."""
_TIMEOUT_S = 120
_DUMPS = ("thread_dump", "virtual_threads")
_DUMPS_KEPT = 6
"""Of each JVM: two rounds of captures."""
_CLASSES_KEPT = 150


@dataclass
class Made:
    """A file of evidence."""

    file: Path
    bytes: int
    untrimmed: bool = False
    """It was kept whole, since less of it gives another diagnosis."""


def make(recorded: Path, folder: Path, say) -> list[Made]:
    """A fixture of each recording; those of the same case and seed are replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for recording in evidence.read_all(recorded):
        stem = evidence.stem(recording["case"], recording["seed"])
        say(stem)
        for state, facts in recording["states"].items():
            file = folder / f"{stem}-{state}{SUFFIX}"
            found.append(_make_one(recorded / facts["run"], file))
            facts["run"] = file.name
        text = json.dumps(recording, indent=1, ensure_ascii=False)
        (folder / f"{stem}.json").write_text(text + "\n", encoding="utf-8")
    if not found:
        raise LabError(f"{recorded} holds no recordings; plimsoll-lab evidence makes them")
    return found


def make_drawn(recorded: Path, folder: Path, say) -> list[Made]:
    """The same of drawn systems that limit as they were meant to: what limits, as measured, and who keeps the time."""
    folder = folder / DRAWN
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for recording in record.read_all(recorded):
        if "error" in recording or not recording["as_intended"]:
            continue
        stem = str(recording["seed"])
        say(stem)
        states = {}
        for state, facts in recording["states"].items():
            file = folder / f"{stem}-{state}{SUFFIX}"
            found.append(_make_one(recorded / stem / facts["run"], file))
            states[state] = {"run": file.name, "tiers": facts["tiers"]}
        limits = [each for each in recording["candidates"] if each["id"] in recording["limiting"]]
        kept = {
            "seed": recording["seed"],
            "topology": recording["topology"],
            "recorded": recording["recorded"],
            "limits": [{key: each[key] for key in ("id", "findings", "keepers")} for each in limits],
            "states": states,
        }
        text = json.dumps(kept, indent=1, ensure_ascii=False)
        (folder / f"{stem}.json").write_text(text + "\n", encoding="utf-8")
    if not found:
        raise LabError(f"{recorded} holds nothing that limits as it was meant to")
    open_file = folder / OPEN
    if not open_file.exists():
        open_file.write_text("[]\n", encoding="utf-8")
    return found


def _make_one(run: Path, file: Path) -> Made:
    _save(run, file)
    whole = file.read_bytes()
    before = _told(file)
    _write(file, trimmed(json.loads(gzip.decompress(whole))))
    same = _told(file) == before
    if not same:
        file.write_bytes(whole)
    return Made(file, file.stat().st_size, not same)


def _save(run: Path, file: Path) -> None:
    argv = [str(load.generator()), "diagnose", str(run), "--save-evidence", str(file)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=_TIMEOUT_S)
    if done.returncode:
        raise LabError(f"{run.name}: no evidence saved: {done.stderr.strip()[-400:]}")


def _told(file: Path) -> list[tuple]:
    """What is said to limit; hints may come and go with the number of dumps."""
    found, _ = diagnosis.diagnose(file)
    return [(each["id"], each["layer"], each["object"]) for each in judge.limiting(found)]


def _write(file: Path, saved: dict) -> None:
    # Without the time of packing, so that the same evidence gives the same file.
    text = json.dumps(saved, ensure_ascii=False, separators=(",", ":"))
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def trimmed(saved: dict) -> dict:
    """Evidence without what takes much room and tells no more: dumps of idle threads, before and
    after the judged stretch; more dumps than two rounds; the rare classes of histograms."""
    start_ms, end_ms = (1_000 * second for second in saved["load"]["window_s"])
    kept: list[dict] = []
    dumps: dict[str, list[dict]] = {}
    for each in saved["captures"]:
        if each["kind"] in _DUMPS:
            if start_ms <= each["at_ms"] < end_ms:
                dumps.setdefault(f"{each['kind']} {json.dumps(each['entity'])}", []).append(each)
        elif each["kind"] == "class_histogram":
            kept.append({**each, "text": _most(each["text"])})
        else:
            kept.append(each)
    for same in dumps.values():
        step = max(1, len(same) // _DUMPS_KEPT)
        kept += same[::step][:_DUMPS_KEPT]
    kept.sort(key=lambda each: each["number"])
    return {**saved, "captures": kept}


def _most(histogram: str) -> str:
    """A class histogram's head, its largest classes and its total."""
    lines = histogram.splitlines(keepends=True)
    rows = [line for line in lines if re.match(r"\s*\d+:", line)]
    rare = set(rows[_CLASSES_KEPT:])
    return "".join(line for line in lines if line not in rare)


def report(made: list[Made]) -> str:
    """How large they are, the largest last."""
    lines = [
        f"{each.bytes / 1024:8.0f} KiB  {each.file.name}{'  (whole)' if each.untrimmed else ''}"
        for each in made
    ]
    lines.sort()
    total = sum(each.bytes for each in made)
    return "\n".join([*lines, f"{total / 1024:8.0f} KiB  in {len(made)} files"])
