"""Records compositions: what limits each is measured, by its cures.

A recording is a folder DIR/SEED with composition.json and two run folders, `faulty` and `cured`, as
`plimsoll run` made them. What a composition could not be recorded for stands in its `error`.
"""

import datetime
import json
import os
import shutil
import statistics
import time
from pathlib import Path

from .. import load, watching
from ..errors import LabError
from . import draw, hand, runtimes, system, truth, unrelated
from .measure import Measured, Say, measure
from .system import System

Seed = int | str
"""A number, or the name of what is written by hand."""

FILE = "composition.json"
LIMITS_FROM = 1.25
"""The gain of throughput from which on a cure says that its primitive limited."""
UNCLEAR_FROM, CLEAR_FROM = 1.12, 1.6
"""A gain between these is measured again, and the system as drawn too: it may be noise."""
_ERRORS = 0.02
_WARM_UP_S = 2
_WARM_UP_JVM_S = 4
_WARM_UP_LONG_S = 15
_LOAD_S = 8
_WATCHED_S = 10


def parse_seeds(text: str) -> list[Seed]:
    """`1-20,1003,haproxy` as numbers and names of what is written by hand."""
    found: list[Seed] = []
    for part in text.split(","):
        if part.strip() in hand.CASES:
            found.append(part.strip())
            continue
        low, _, high = part.strip().partition("-")
        if not low.isdigit() or (high and not high.isdigit()):
            raise LabError(
                f"--seeds: '{part}' is neither a number, a range such as 1-20, "
                f"nor one of {', '.join(hand.CASES)}"
            )
        found += range(int(low), int(high or low) + 1)
    return found


def composed(seed: Seed) -> dict:
    """The composition of a seed, or of a name."""
    return hand.composition(seed) if isinstance(seed, str) else draw.draw(seed)


def recorded(out: Path, seed: Seed) -> bool:
    """Whether this seed was recorded, whole."""
    path = out / str(seed) / FILE
    return path.is_file() and "error" not in json.loads(path.read_text(encoding="utf-8"))


def read_all(out: Path) -> list[dict]:
    """All recordings of a folder, by seed."""
    found = []
    for path in out.glob(f"*/{FILE}"):
        recording = json.loads(path.read_text(encoding="utf-8"))
        if recording.get("format") != draw.FORMAT:
            raise LabError(f"{path} was written by another version of the lab: record it again")
        found.append(recording)
    return sorted(found, key=lambda each: str(each["seed"]).rjust(12))


def record_all(
    seeds: list[Seed], state: Path, out: Path, say: Say, beside: bool = False
) -> list[dict]:
    """Records what is not recorded yet, where asked beside an unrelated load; goes on when one fails. Gives
    back the new ones."""
    load.generator()
    for name, lacks in runtimes.left_out().items():
        say(f"left out of the drawing: {name} (missing: {', '.join(lacks)})")
    found = []
    for seed in seeds:
        if recorded(out, seed):
            say(f"{seed}: recorded already")
            continue
        other = unrelated.draw(seed) if beside else None
        found.append(record(composed(seed), state, out, say, other))
    return found


def record(
    composition: dict, state: Path, out: Path, say: Say, beside: dict | None = None
) -> dict:
    """Starts a composition, loads it, cures what could limit one after the other."""
    seed, begin = composition["seed"], time.monotonic()
    folder = out / str(seed)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    recording = {
        **composition,
        "beside": beside,
        "recorded": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "states": {},
        "cures": [],
    }
    say(f"{seed}: {composition['topology']}; {', '.join(_runtimes(composition))}")
    try:
        with (
            unrelated.beside(beside),
            system.started(composition, f"compose-{seed}", state, say) as running,
        ):
            try:
                _measure(running, recording, folder, say)
            except BaseException:
                system.keep_logs(running, folder / "logs")
                raise
    except LabError as error:
        recording["error"] = str(error)
        say(f"{seed} failed: {error}")
    except BaseException as error:
        recording["error"] = str(error) or type(error).__name__
        raise
    finally:
        recording["took_s"] = round(time.monotonic() - begin, 1)
        _write(recording, folder)
    say(f"{seed}: {outcome(recording)} ({recording['took_s']:.0f} s)")
    return recording


def _runtimes(composition: dict) -> list[str]:
    return [each["runtime"] for each in composition["services"]]


def _write(recording: dict, folder: Path) -> None:
    """Whole or not at all."""
    new = folder / f"{FILE}.new"
    new.write_text(json.dumps(recording, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    os.replace(new, folder / FILE)


def _warm_up_s(composition: dict) -> float:
    """Before what is measured; a composition with `warm` has none, or a long one."""
    if "warm" in composition:
        return _WARM_UP_LONG_S if composition["warm"] else 0.0
    jvm = any(runtimes.find(each).warms_up for each in _runtimes(composition))
    return _WARM_UP_JVM_S if jvm else _WARM_UP_S


def _measure(running: System, recording: dict, folder: Path, say: Say) -> None:
    """Faulty and watched; each cure against the same load without watching; cured and watched."""
    composition = running.composition
    takes = _Takes(running, say)
    base = takes.take("as drawn")
    if base.per_s == 0:
        raise LabError("no request is responded to while it is measured")
    if base.summary["total"]["error_rate"] > _ERRORS:
        raise LabError(f"{base.summary['total']['error_rate']:.0%} of its requests fail")
    watched = takes.take("as drawn, watched", watched=True)
    _keep(running, recording, folder, watched, "faulty")
    # Watching costs little; what differs more than that is noise, and counts as such.
    bases = [base, watched] if watched.per_s > base.per_s else [base]
    cured = {each["id"]: [takes.cure(each)] for each in composition["candidates"]}
    unclear = [
        each for each in composition["candidates"] if _is_unclear(cured[each["id"]], bases)
    ]
    if unclear:
        system.change(running, composition, "faulty")
        bases.append(takes.take("as drawn, again"))
        for each in unclear:
            cured[each["id"]].append(takes.cure(each))
    recording["cures"] = [_cure(each, cured[each], bases, composition) for each in cured]
    recording["base"] = [each.facts() for each in bases]
    recording["limiting"] = limiting(recording)
    _judge_intention(recording)
    cure = _whole_cure(recording)
    if cure:
        system.change(running, system.patched(composition, cure), "cured")
        _keep(running, recording, folder, takes.take("cured, watched", watched=True), "cured")


class _Takes:
    """Loads of one composition, each as long and as warm as the others."""

    def __init__(self, running: System, say: Say):
        self.running, self.say = running, say
        self.composition = running.composition

    def take(self, what: str, watched: bool = False) -> Measured:
        """One load on the system as it is."""
        duration_s = _WATCHED_S if watched else _LOAD_S
        watch = watching.arguments(self.running.running) if watched else None
        if "warm" in self.composition:
            # What an earlier load has warmed is begun anew.
            state = self.running.running.facts["state"]
            system.change(self.running, self.running.composition, state)
        made = measure(self.running, _warm_up_s(self.running.composition), duration_s, watch)
        self.say(f"  {what}: {made.per_s:.1f}/s, {made.mean_ms:.1f} ms")
        return made

    def cure(self, candidate: dict) -> Measured:
        """One load with that one cured."""
        cured = system.patched(self.composition, candidate["cure"])
        system.change(self.running, cured, "cured")
        return self.take(f"cured {candidate['id']}")


def gain(cured: list[float], bases: list[float]) -> float:
    """The throughput of the cured system by that of the one as drawn."""
    return statistics.mean(cured) / max(statistics.mean(bases), 0.01)


def _gain(cured: list[Measured], bases: list[Measured]) -> float:
    return gain([each.per_s for each in cured], [each.per_s for each in bases])


def _is_unclear(cured: list[Measured], bases: list[Measured]) -> bool:
    return UNCLEAR_FROM <= _gain(cured, bases) < CLEAR_FROM


def _cure(name: str, cured: list[Measured], bases: list[Measured], composition: dict) -> dict:
    """What a cure gained."""
    found = _gain(cured, bases)
    return {
        "id": name,
        "gain": round(found, 3),
        "limits": found >= LIMITS_FROM,
        "measured": [each.facts() for each in cured],
        "kinds_ms": truth.by_kind(truth.parts(composition, cured[-1])),
    }


def limiting(recording: dict) -> list[str]:
    """Ids of what limits as measured, the greatest gain first."""
    limits = [each for each in recording["cures"] if each["limits"]]
    return [each["id"] for each in sorted(limits, key=lambda each: -each["gain"])]


def _whole_cure(recording: dict) -> dict:
    """The cures of all that limits and of all that was meant to, as one."""
    found: dict = {}
    for each in recording["candidates"]:
        if each["id"] in recording["limiting"] or each["intended"]:
            found |= each["cure"]
    return found


def _judge_intention(recording: dict) -> None:
    """Whether what limits is what was meant to; where it is not, the recording is marked."""
    intended = {each["id"] for each in recording["candidates"] if each["intended"]}
    limits = set(recording["limiting"])
    # Of two that were meant to, one may hide the other.
    recording["as_intended"] = bool(limits) == bool(intended) and limits <= intended


def _keep(running: System, recording: dict, folder: Path, made: Measured, state: str) -> None:
    """Notes a watched load, and moves its run folder to the recording."""
    if made.run is None:
        raise LabError("the watched load left no run")
    shutil.move(made.run, folder / state)
    parts = truth.parts(running.composition, made)
    keeper = truth.largest_keeper(parts)
    recording["states"][state] = {
        "run": state,
        "measured": made.facts(),
        "parts": parts,
        "largest_keeper": list(keeper) if keeper else None,
        "services": {key: vars(each) for key, each in made.services.items()},
        "tiers": [
            {key: tier[key] for key in ("name", "kind", "host", "pid", "ports")}
            for tier in running.running.facts["tiers"]
        ],
    }


def outcome(recording: dict) -> str:
    """In words: what limits, and whether that was meant."""
    if "error" in recording:
        return "failed"
    gains = {each["id"]: each["gain"] for each in recording["cures"]}
    limits = ", ".join(f"{each} ×{gains[each]:.1f}" for each in recording["limiting"]) or "nothing"
    return f"limited by {limits}" + ("" if recording["as_intended"] else " (not as meant)")


def report(recordings: list[dict]) -> str:
    """A line for each new recording, and the sums."""
    lines = [
        f"{each['seed']:>9}  {each['took_s']:5.0f} s  {each['topology']}: {outcome(each)}"
        for each in recordings
    ]
    failed = [each for each in recordings if "error" in each]
    other = [each for each in recordings if "error" not in each and not each["as_intended"]]
    lines.append(
        f"{len(recordings) - len(failed)} recorded, {len(other)} of them not as meant, "
        f"{len(failed)} failed"
    )
    lines += [f"{each['seed']}: {each['error']}" for each in failed]
    return "\n".join(lines)


