"""Scores the diagnosis on recordings: runs it, has it judged, says it in tables."""

import datetime
import statistics
import subprocess
from dataclasses import asdict
from pathlib import Path

from . import diagnosis, evidence, judge, load, paths, prove
from .casefile import STATES
from .errors import LabError
from .judge import Verdict


def score(folder: Path, say) -> list[Verdict]:
    """Judges every recording of a folder."""
    load.generator()
    found = []
    for recording in evidence.read_all(folder):
        say(evidence.stem(recording["case"], recording["seed"]))
        found.append(score_one(folder, recording))
    if not found:
        raise LabError(f"{folder} holds no recordings; plimsoll-lab evidence makes them")
    return found


def score_one(folder: Path, recording: dict) -> Verdict:
    """Diagnoses both states of a recording and judges what is said."""
    diagnoses: dict[str, dict | None] = dict.fromkeys(STATES)
    errors = [f"not recorded: {recording['error']}"] if "error" in recording else []
    took = []
    for state in recording["states"]:
        try:
            run = folder / recording["states"][state]["run"]
            diagnoses[state], seconds = diagnosis.diagnose(run)
            took.append(seconds)
        except LabError as error:
            errors.append(str(error))
    verdict = judge.judge(recording, diagnoses["faulty"], diagnoses["cured"])
    verdict.seconds = max(took) if took else None
    return failed(verdict, errors) if errors else verdict


def failed(verdict: Verdict, errors: list[str]) -> Verdict:
    """What was not said was not found."""
    verdict.top1, verdict.top3 = bool(verdict.top1), bool(verdict.top3)
    verdict.errors = tuple(errors)
    return verdict


def is_right(verdict: Verdict) -> bool:
    """Whether all that was judged is as it should be; what is not counted always is."""
    judged = (verdict.top1, verdict.top3, verdict.cured)
    return not verdict.counts or (False not in judged and not verdict.false_alarms)


def totals(verdicts: list[Verdict]) -> dict[str, object]:
    """The sums over what can be shown here; a diagnosis that could not be made is a miss."""
    counted = [each for each in verdicts if each.counts]

    def share(key: str) -> dict[str, int]:
        judged = [getattr(each, key) for each in counted]
        judged = [each for each in judged if each is not None]
        return {"right": sum(judged), "of": len(judged)}

    seconds = [each.seconds for each in verdicts if each.seconds is not None]
    return {
        "recordings": len(verdicts),
        "counted": len(counted),
        "top1": share("top1"),
        "top3": share("top3"),
        "object": share("object"),
        "cured": share("cured"),
        "false_alarms": sum(each.false_alarms or 0 for each in counted),
        "healthy": sum(each.false_alarms is not None for each in counted),
        "errors": sum(len(each.errors) for each in verdicts),
        "median_s": statistics.median(seconds) if seconds else None,
        "longest_s": max(seconds, default=None),
    }


_HEAD = (
    *("case", "seed", "truth", "said first", "top-1", "top-3", "object"),
    *("cured", "said first then", "false alarms", "s"),
)


def rows(verdicts: list[Verdict]) -> list[tuple[str, ...]]:
    """The table's cells."""
    return [
        (
            each.case if each.counts else f"{each.case} (not counted)",
            str(each.seed),
            each.wanted,
            each.first,
            _mark(each.top1),
            _mark(each.top3),
            _mark(each.object),
            _mark(each.cured),
            each.after,
            "" if each.false_alarms is None else str(each.false_alarms),
            "" if each.seconds is None else f"{each.seconds:.2f}",
        )
        for each in verdicts
    ]


def _mark(value: bool | None) -> str:
    return {True: "yes", False: "NO", None: ""}[value]


def table(verdicts: list[Verdict]) -> str:
    """For a terminal."""
    cells = [_HEAD, *rows(verdicts)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(_HEAD))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([*lines, "", *summary(verdicts), *_errors(verdicts)])


BUSY = 0.5
"""Where others used more CPUs than this while it was recorded, a case says nothing when it comes out
wrong: what starves its tiers is part of what is seen."""


def marks(verdicts: list[Verdict], recordings: list[dict]) -> list[str]:
    """A line for each case that says whether it came out as it should: `right`, `wrong`, or
    `unfit` where it is wrong and the recording says nothing of the diagnosis."""
    states = {(each["case"], each["seed"]): each["states"] for each in recordings}
    lines = []
    for each in verdicts:
        name = f"{each.case} {each.seed}"
        if is_right(each):
            lines.append(f"right: {name}")
            continue
        said = f"{each.first}, cured {each.after}; not {each.wanted}"
        why = _unfit(each, states.get((each.case, each.seed), {}))
        lines.append(f"unfit: {name}: {said} ({why})" if why else f"wrong: {name}: {said}")
    return lines


def _unfit(verdict: Verdict, states: dict[str, dict]) -> str | None:
    """Why a case that came out wrong says nothing: others had the CPUs, or the load's own program
    was the limit of the faulty system (a build that is not optimised), and the diagnosis said so."""
    measured = {name: state["measured"] for name, state in states.items()}
    used = max((each.get("others_cpu", 0.0) for each in measured.values()), default=0.0)
    if used > BUSY:
        return f"others used {used:g} CPUs"
    limits = measured.get("faulty", {}).get("generator", [])
    if limits and str(verdict.first).startswith("generator"):
        return f"the generator was the bottleneck: {', '.join(limits)}"
    return None


def summary(verdicts: list[Verdict]) -> list[str]:
    """The totals in words."""
    sums = totals(verdicts)

    def of(key: str) -> str:
        return f"{sums[key]['right']} of {sums[key]['of']}"

    lines = [
        f"right finding first, with its object: {of('top1')}",
        f"right findings among the first three: {of('top3')}",
        f"right object, where the finding was told: {of('object')}",
        f"gone when cured: {of('cured')}",
        f"false alarms: {sums['false_alarms']} in {sums['healthy']} healthy or faultless cases",
    ]
    if sums["errors"]:
        lines.append(f"diagnoses that could not be made: {sums['errors']}")
    if sums["longest_s"] is not None:
        lines.append(
            f"time to diagnosis: median {sums['median_s']:.2f} s, "
            f"longest {sums['longest_s']:.2f} s"
        )
    return lines


def _errors(verdicts: list[Verdict]) -> list[str]:
    return [f"{each.case} {each.seed}: {error}" for each in verdicts for error in each.errors]


def markdown(verdicts: list[Verdict], recordings: list[dict]) -> str:
    """bench/LAB-SCORE.md: what was scored, where and when."""
    loads = [
        state["load_average"] for each in recordings for state in each["states"].values()
    ]
    seeds = sorted({each["seed"] for each in recordings})
    dates = sorted(each["recorded"] for each in recordings)
    lines = [
        "# Score of the diagnosis on the lab's cases",
        "",
        "Written by `make lab-score`; what the columns mean: [lab/README.md](../lab/README.md).",
        "",
        *(f"- {each}" for each in summary(verdicts)),
        "",
        "## Settings",
        "",
        f"- seeds: {', '.join(map(str, seeds))}",
        f"- commit: {commit()}",
        f"- recorded: {dates[0]} to {dates[-1]}; scored: "
        f"{datetime.datetime.now(datetime.UTC).isoformat(timespec='seconds')}",
        f"- machine: {prove.machine()}",
        f"- load average while recording: {min(loads, default=0):.1f} to "
        f"{max(loads, default=0):.1f}",
        "",
        "## Cases",
        "",
        _row(_HEAD),
        _row(["---"] * len(_HEAD)),
        *(_row(each) for each in rows(verdicts)),
    ]
    errors = _errors(verdicts)
    if errors:
        lines += ["", "## Diagnoses that could not be made", "", *(f"- {each}" for each in errors)]
    return "\n".join(lines) + "\n"


def _row(cells) -> str:
    return f"| {' | '.join(cells)} |"


def commit() -> str:
    """The commit that is checked out."""

    def git(*words: str) -> str:
        argv = ["git", "-C", str(paths.ROOT), *words]
        return subprocess.run(argv, capture_output=True, text=True, check=False).stdout.strip()

    head = git("rev-parse", "--short=12", "HEAD") or "unknown"
    return head + (" with local changes" if git("status", "--porcelain", "-uno") else "")


def facts(verdicts: list[Verdict]) -> dict[str, object]:
    """All of it, for --json."""
    return {"totals": totals(verdicts), "cases": [asdict(each) for each in verdicts]}
