"""Records what a case looks like: a watched run of the faulty system, one of the cured, the truth.

A recording is `CASE-SEED.json` with two run folders beside it, `CASE-SEED-faulty` and
`CASE-SEED-cured`, as `plimsoll run` made them.
"""

import datetime
import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from . import casefile, engine, load, prove, watching
from .casefile import STATES, Case
from .errors import LabError
from .instance import Instance, locked

FORMAT = 1


def stem(case: str, seed: int) -> str:
    """What the names of a recording's files begin with."""
    return f"{case}-{seed}"


def recorded(out: Path, case: str, seed: int) -> bool:
    """Whether this recording is there, whole."""
    path = out / f"{stem(case, seed)}.json"
    return path.is_file() and "error" not in json.loads(path.read_text(encoding="utf-8"))


def read_all(out: Path) -> list[dict]:
    """All recordings of a folder, sorted by case and seed."""
    found = []
    for path in sorted(out.glob("*.json")):
        try:
            recording = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise LabError(f"{path} is damaged: {error}") from error
        if not isinstance(recording, dict) or "states" not in recording:
            continue  # another's file
        if recording.get("format") != FORMAT:
            raise LabError(f"{path} was written by another version of the lab: record it again")
        found.append(recording)
    return sorted(found, key=lambda each: (each["case"].lower(), each["seed"]))


def record(case: Case, seed: int, state: Path, out: Path, say) -> None:
    """Up, load, cure, load, down. If that fails, the recording says so and what it has."""
    load.generator()
    out.mkdir(parents=True, exist_ok=True)
    name = f"evidence-{case.id}"
    recording = _describe(case, seed)
    try:
        with locked(name, state):
            running = engine.up(case, name, state, seed, False, say)
            try:
                recording |= {key: running.facts[key] for key in ("values", "truth", "second")}
                recording["links"] = running.facts["network"]["links"]
                for each in STATES:
                    if running.facts["state"] != each:
                        engine.switch(running, each == "cured", say)
                    recording["states"][each] = _take(running, out, say)
            finally:
                engine.down(running, say)
    except BaseException as error:
        recording["error"] = str(error) or type(error).__name__
        raise
    finally:
        _write(recording, out)


def _write(recording: dict, out: Path) -> None:
    """Whole or not at all."""
    path = out / f"{stem(recording['case'], recording['seed'])}.json"
    new = path.with_suffix(".new")
    new.write_text(json.dumps(recording, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(new, path)


def _describe(case: Case, seed: int) -> dict:
    return {
        "format": FORMAT,
        "case": case.id,
        "seed": seed,
        "recorded": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "control": case.control,
        "provable": case.provable,
        "values": {},
        "truth": case.truth,
        "second": case.second,
        "links": [],
        "states": {},
    }


def _take(running: Instance, out: Path, say) -> dict:
    """One watched load; its run folder goes to `out`."""
    begin = time.monotonic()
    runs = running.directory / "runs"
    shutil.rmtree(runs, ignore_errors=True)
    measured = prove.measure(
        running, more=watching.arguments(running), environment=watching.environment(running)
    )
    say(f"{measured.state}: {prove.line(measured.facts())}")
    made = sorted(each for each in runs.iterdir() if each.is_dir()) if runs.is_dir() else []
    if len(made) != 1:
        raise LabError(f"the load left {len(made)} runs in {runs}, not one")
    facts = running.facts
    folder = out / f"{stem(facts['case'], facts['seed'])}-{measured.state}"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.move(made[0], folder)
    return {
        "run": folder.name,
        "measured": measured.facts(),
        "load_average": round(os.getloadavg()[0], 1),
        "took_s": round(time.monotonic() - begin, 1),
        "tiers": [
            {key: tier[key] for key in ("name", "kind", "host", "pid", "ports", "settings")}
            for tier in facts["tiers"]
        ],
    }


@dataclass
class Outcome:
    """How the recording of one case went."""

    case: str
    seconds: float
    error: str | None = None


def record_all(cases: list[str], seed: int, state: Path, out: Path, say) -> list[Outcome]:
    """Records them one after the other; goes on when one fails."""
    found = []
    for number, each in enumerate(cases, 1):
        say(f"{each}, seed {seed} ({number} of {len(cases)})")
        begin = time.monotonic()
        error = None
        try:
            record(casefile.find(each), seed, state, out, say)
        except LabError as failure:
            error = str(failure)
            say(f"{each} failed: {error}")
        found.append(Outcome(each, time.monotonic() - begin, error))
    return found


def report(outcomes: list[Outcome]) -> str:
    """How long each took, and what failed."""
    lines = [
        f"{each.case:<18} {each.seconds:6.1f} s  {'failed' if each.error else 'recorded'}"
        for each in outcomes
    ]
    failed = [each for each in outcomes if each.error]
    total_s = sum(each.seconds for each in outcomes)
    lines.append(f"{len(outcomes) - len(failed)} recorded, {len(failed)} failed, {total_s:.0f} s")
    lines += [f"{each.case}: {each.error}" for each in failed]
    return "\n".join(lines)
