"""Scores the diagnosis on compositions: training seeds and unseen ones side by side."""

import datetime
import math
import statistics
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from .. import diagnosis, load, prove, score
from ..errors import LabError
from . import levels, record
from .draw import UNSEEN_FROM
from .judge import Verdict, verdict

_STATES = ("faulty", "cured")
_Z = 1.96


def _is_unseen(each: Verdict) -> bool:
    return isinstance(each.seed, int) and each.seed >= UNSEEN_FROM


_SETS: tuple[tuple[str, Callable[[Verdict], bool]], ...] = (
    ("training", lambda each: isinstance(each.seed, int) and each.seed < UNSEEN_FROM),
    ("unseen", lambda each: _is_unseen(each) and not each.beside),
    ("unseen, beside another load", lambda each: _is_unseen(each) and each.beside),
    ("written by hand", lambda each: isinstance(each.seed, str)),
)
_MEASURES: tuple[tuple[str, Callable[[Verdict], bool | None]], ...] = (
    ("process and way right", lambda each: each.right),
    ("process that keeps the time", lambda each: each.process),
    ("kind of keeping", lambda each: each.kind),
    ("primitive named", lambda each: each.finding),
    ("right among the first three", lambda each: each.first_three),
    ("right object", lambda each: each.object),
    ("advised change lifts", lambda each: each.lifts),
    ("gone when cured", lambda each: each.gone),
    ("gone, or half as much of it, as where the time goes", lambda each: each.less),
    ("false nothing", lambda each: each.false_nothing if each.process is not None else None),
    ("insufficient", lambda each: each.insufficient),
    ("false alarm where nothing limits", lambda each: each.false_alarm),
    ("account: measured parts sum to 90 to 105 %", lambda each: _is_within(each.measured_share, 0.9, 1.05)),
    ("account: more than 105 %", lambda each: _is_within(each.measured_share, 1.05)),
    ("account: each part within 10 % of the truth", lambda each: _is_within(each.worst_part, 0.0, 0.1)),
)


def _is_within(value: float | None, least: float, most: float = math.inf) -> bool | None:
    return None if value is None else least <= value <= most


def score_all(folder: Path, say, level: levels.Level = levels.FULL) -> list[Verdict]:
    """Judges every recording of a folder, by what that level sees of it."""
    load.generator()
    recordings = record.read_all(folder)
    if not recordings:
        raise LabError(f"{folder} holds no compositions; plimsoll-lab compose makes them")
    return [score_one(folder, each, say, level) for each in recordings]


def score_one(folder: Path, recording: dict, say, level: levels.Level) -> Verdict:
    """Diagnoses both states of a recording."""
    said: dict[str, dict | None] = dict.fromkeys(_STATES)
    errors = [recording["error"]] if "error" in recording else []
    for state, facts in recording["states"].items():
        try:
            with levels.seen(folder / str(recording["seed"]) / facts["run"], level) as run:
                said[state], _ = diagnosis.diagnose(run)
        except LabError as error:
            errors.append(str(error))
    made = verdict(recording, said["faulty"], said["cured"])
    made.errors = errors
    say(f"{made.seed}: {made.primitive}: {made.said}")
    return made


def wilson(right: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson."""
    if of == 0:
        return 0.0, 1.0
    share, square = right / of, _Z * _Z
    middle = (share + square / (2 * of)) / (1 + square / of)
    half = _Z * math.sqrt(share * (1 - share) / of + square / (4 * of * of)) / (1 + square / of)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def _share(verdicts: list[Verdict], measure: Callable[[Verdict], bool | None]) -> str:
    judged = [value for value in map(measure, verdicts) if value is not None]
    if not judged:
        return "-"
    low, high = wilson(sum(judged), len(judged))
    return f"{sum(judged)} of {len(judged)} ({low:.0%} to {high:.0%})"


def tables(verdicts: list[Verdict]) -> list[str]:
    """The tables, in Markdown."""
    counted = [each for each in verdicts if each.counts]
    sets = [(name, [each for each in counted if belongs(each)]) for name, belongs in _SETS]
    head = [f"{name} ({len(of)})" for name, of in sets]
    lines = _table(
        ["", *head],
        [[what, *(_share(of, measure) for _, of in sets)] for what, measure in _MEASURES]
        + [[what, *(_middle(of, key) for _, of in sets)] for what, key in _ACCOUNT],
    )
    for title, key in (
        ("By primitive", "primitive"),
        ("By runtime", "runtime"),
        ("By topology", "topology"),
    ):
        values = sorted({getattr(each, key) for each in counted})
        rows = [
            [value, *(_share([v for v in of if getattr(v, key) == value], _right) for _, of in sets)]
            for value in values
        ]
        lines += ["", f"## {title}", "", *_table([key, *head], rows)]
    return lines


_ACCOUNT = (
    ("account: measured share of the response time", "measured_share"),
    ("account: share given to other places than the truth", "misplaced"),
)


def _right(each: Verdict) -> bool | None:
    return each.right


def _middle(verdicts: list[Verdict], key: str) -> str:
    values = [getattr(each, key) for each in verdicts if getattr(each, key) is not None]
    return f"median {statistics.median(values):.1%} of {len(values)}" if values else "-"


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    return [
        f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)
    ]


def details(verdicts: list[Verdict]) -> list[str]:
    """A row for each composition."""
    mark = {True: "yes", False: "NO", None: ""}
    rows = [
        [
            str(each.seed) + ("" if each.counts else " (not counted)"),
            each.topology,
            each.runtime,
            each.primitive,
            each.said,
            *(
                mark[value]
                for value in (each.process, each.kind, each.finding, each.lifts, each.gone, each.less)
            ),
            "" if each.misplaced is None else f"{each.misplaced:.0%}",
        ]
        for each in verdicts
    ]
    head = ["seed", "topology", "runtime", "limits", "said first", "process", "kind", "primitive"]
    return _table([*head, "lifts", "gone", "gone or less", "misplaced"], rows)


def marks(verdicts: list[Verdict]) -> list[str]:
    """A line for each composition: `right`, `wrong`, or `unfit` where what limits is not what was meant to."""
    lines = []
    for each in verdicts:
        name = f"drawn {each.seed}"
        if each.counts and each.right is not None:
            lines.append(f"right: {name}" if each.right else f"wrong: {name}: {each.said}")
        else:
            lines.append(f"unfit: {name}: {'; '.join(each.errors) or 'what limits is not what was meant to'}")
    return lines


def by_level(found: dict[str, list[Verdict]]) -> list[str]:
    """What is right at each level, of the unseen ones, with and without another load."""
    unseen = {
        name: [each for each in of if each.counts and _is_unseen(each)] for name, of in found.items()
    }
    rows = [[what, *(_share(of, measure) for of in unseen.values())] for what, measure in _MEASURES]
    rows += [[what, *(_middle(of, key) for of in unseen.values())] for what, key in _ACCOUNT]
    head = [f"{name} ({len(of)})" for name, of in unseen.items()]
    return _table(["unseen", *head], rows)


def markdown(
    verdicts: list[Verdict], recordings: list[dict], lower: dict[str, list[Verdict]] | None = None
) -> str:
    """What was scored, where and when; `lower`: the same at lower levels."""
    loads = [
        state["measured"]["load_average"] for each in recordings for state in each["states"].values()
    ]
    dates = sorted(each["recorded"] for each in recordings)
    left = [each for each in verdicts if not each.counts]
    lines = [
        "# Score of the diagnosis on drawn systems",
        "",
        "Written by `make lab-compose`; what is drawn, measured and judged: "
        "[lab/compose](../lab/compose/README.md). In parentheses: 95 % intervals (Wilson).",
        "",
        *tables(verdicts),
        "",
        *_lower(verdicts, lower or {}),
        "## Settings",
        "",
        f"- compositions: {len(verdicts)}; {len(left)} of them not counted: not recorded, or what "
        "limits was not what was meant to",
        f"- commit: {score.commit()}",
        f"- recorded: {dates[0]} to {dates[-1]}; scored: "
        f"{datetime.datetime.now(datetime.UTC).isoformat(timespec='seconds')}",
        f"- machine: {prove.machine()}",
        f"- load average while recording: {min(loads, default=0):.1f} to "
        f"{max(loads, default=0):.1f}",
        "",
        "## Compositions",
        "",
        *details(verdicts),
    ]
    wrong = [f"- {each.seed}: {error}" for each in verdicts for error in each.errors]
    if wrong:
        lines += ["", "## What could not be done", "", *wrong]
    return "\n".join(lines) + "\n"


def _lower(verdicts: list[Verdict], lower: dict[str, list[Verdict]]) -> list[str]:
    if not lower:
        return []
    table = by_level({levels.FULL.name: verdicts} | lower)
    return ["## With less to see", "", *table, ""]


def facts(verdicts: list[Verdict]) -> list[dict]:
    """All of it, for --json."""
    return [asdict(each) | {"right": each.right} for each in verdicts]
