"""Judges what `plimsoll compare` says when the truth is known: equal sides, or B slower."""

import json
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from . import machine

NO_DIFFERENCE = "no_difference_shown"
# What a slower server does to each metric. Errors and throughput's opposite are not expected.
WHEN_SLOWER = {"throughput": "lower", "mean": "higher", "p50": "higher", "p90": "higher",
               "p95": "higher", "p99": "higher"}
EQUAL = "A/A"
SLOWED = "A/B"
# Out of 20: at most 2 false alarms, at least 18 slowdowns found.
TOLERATED_SHARE = 0.1
RUN_TIMEOUT_S = 60
VARIABLE = re.compile(r'^(  sleep_ms: )"\d+"$', re.MULTILINE)


class ProofFailed(Exception):
    """A comparison that gave nothing to judge; the text says why."""


@dataclass(frozen=True)
class Shown:
    """One metric of which the comparison says that it differs (or that it cannot say)."""

    place: str
    metric: str
    verdict: str


@dataclass(frozen=True)
class Outcome:
    """One comparison: what it said, and under which circumstances."""

    kind: str
    shown: tuple[Shown, ...]
    mean_change: float
    p50_change: float
    smallest_p: float
    limited_runs: int
    error_runs: int
    load_average: float
    wall_s: float

    @property
    def alarm(self) -> bool:
        """Whether any verdict, on the total or a label, is not "no difference shown"."""
        return bool(self.shown)

    @property
    def found(self) -> bool:
        """Whether the total shows B as slower, and nothing shows it as faster."""
        headline = [each for each in self.shown if each.place == "total"]
        as_expected = all(WHEN_SLOWER.get(each.metric) == each.verdict for each in self.shown)
        return bool(headline) and as_expected

    @property
    def right(self) -> bool:
        return self.found if self.kind == SLOWED else not self.alarm


def plan_text(template: str, sleep_ms: int) -> str:
    """The plan whose handler sleeps that long."""
    text, replaced = VARIABLE.subn(rf'\g<1>"{sleep_ms}"', template)
    if replaced != 1:
        raise ValueError(f"the plan sets sleep_ms {replaced} times, not once")
    return text


def judge(kind: str, comparison: dict, summaries: list[dict], pairs: int,
          load_average: float = 0.0, wall_s: float = 0.0) -> Outcome:
    """Reads a comparison (schema/comparison.schema.json) and its runs' summaries."""
    if (comparison["runs_a"], comparison["runs_b"], len(summaries)) != (pairs, pairs, 2 * pairs):
        raise ProofFailed(f"{comparison['runs_a']} + {comparison['runs_b']} runs compared, "
                          f"{len(summaries)} stored, not {pairs} pairs")
    if any(summary["total"]["samples"] == 0 for summary in summaries):
        raise ProofFailed("a run has no samples")
    if comparison["unmatched"] or not comparison["labels"]:
        raise ProofFailed("the sides have not the same labels")
    places = [("total", comparison["total"])]
    places += [(label["label"], label["metrics"]) for label in comparison["labels"]]
    headline = {each["metric"]: each for each in comparison["total"]}
    return Outcome(
        kind=kind,
        shown=tuple(Shown(place, each["metric"], each["verdict"]) for place, metrics in places
                    for each in metrics if each["verdict"] != NO_DIFFERENCE),
        mean_change=headline["mean"]["relative_diff"],
        p50_change=headline["p50"]["relative_diff"],
        smallest_p=min(each["p_adjusted"] for _, metrics in places for each in metrics),
        limited_runs=sum(summary["generator"]["limited"] for summary in summaries),
        error_runs=sum(summary["total"]["errors"] > 0 for summary in summaries),
        load_average=load_average,
        wall_s=wall_s,
    )


@dataclass(frozen=True)
class Bench:
    """Runs comparisons with one build of plimsoll against one server."""

    binary: Path
    url: str
    pairs: int
    duration_s: float
    users: int

    def load(self, plan: Path, out: Path, duration_s: float) -> None:
        """Loads the server and forgets the result."""
        self._run(["run", str(plan), "--quiet", *self._load_options(duration_s, out)],
                  RUN_TIMEOUT_S + duration_s, allowed=(0, 4))

    def compare(self, kind: str, plans: tuple[Path, Path], out: Path) -> Outcome:
        """One comparison, whose runs go to the folder `out`."""
        begun = time.monotonic()
        printed = self._run(
            ["compare", "--interleave", str(plans[0]), str(plans[1]), "--pairs", str(self.pairs),
             "--format", "json", *self._load_options(self.duration_s, out)],
            RUN_TIMEOUT_S + 4 * self.pairs * self.duration_s)
        wall_s = time.monotonic() - begun
        summaries = [
            json.loads(self._run(["report", str(run), "--format", "json", "-o", "-"],
                                 RUN_TIMEOUT_S))
            for run in sorted(out.iterdir()) if run.is_dir()
        ]
        return judge(kind, json.loads(printed), summaries, self.pairs,
                     machine.load_average(), wall_s)

    def _load_options(self, duration_s: float, out: Path) -> list[str]:
        return ["--users", str(self.users), "--duration", f"{round(duration_s * 1000)}ms",
                "--set", f"base={self.url}", "--out", str(out)]

    def _run(self, arguments: list[str], timeout_s: float, allowed: tuple = (0,)) -> str:
        done = subprocess.run([str(self.binary), *arguments, "--lang", "en"], check=False,
                              capture_output=True, text=True, timeout=timeout_s)
        if done.returncode not in allowed:
            raise ProofFailed(f"plimsoll {arguments[0]}: exit code {done.returncode}: "
                              + (done.stderr.strip() or done.stdout.strip())[-400:])
        return done.stdout


COLUMNS = ("#", "sides", "mean of B against A", "p50", "smallest adjusted p", "says",
           "as it should", "runs limited", "runs with errors", "load average")


def said(shown: tuple[Shown, ...]) -> str:
    """What differs, place by place: `total: mean higher, p50 higher; …`."""
    places: dict[str, list[str]] = {}
    for each in shown:
        places.setdefault(each.place, []).append(f"{each.metric} {each.verdict}")
    return "; ".join(f"{place}: {', '.join(metrics)}" for place, metrics in places.items()) \
        or "no difference shown"


def cells(number: int, outcome: Outcome) -> list[str]:
    """A comparison as a row of the table."""
    return [str(number), outcome.kind, f"{outcome.mean_change:+.1%}", f"{outcome.p50_change:+.1%}",
            f"{outcome.smallest_p:.2g}", said(outcome.shown),
            "yes" if outcome.right else "**NO**", str(outcome.limited_runs),
            str(outcome.error_runs), f"{outcome.load_average:.1f}"]


def line(values: list[str] | tuple[str, ...]) -> str:
    """One row in Markdown."""
    return "| " + " | ".join(values) + " |"


@dataclass(frozen=True)
class Sums:
    """The two counts that the proof is about."""

    equal: int
    alarms: int
    slowed: int
    found: int

    @classmethod
    def of(cls, outcomes: list[Outcome]) -> "Sums":
        equal = [each for each in outcomes if each.kind == EQUAL]
        slowed = [each for each in outcomes if each.kind == SLOWED]
        return cls(len(equal), sum(each.alarm for each in equal),
                   len(slowed), sum(each.found for each in slowed))

    @property
    def alarms_allowed(self) -> int:
        return int(self.equal * TOLERATED_SHARE)

    @property
    def found_wanted(self) -> int:
        return self.slowed - int(self.slowed * TOLERATED_SHARE)

    @property
    def holds(self) -> bool:
        return (min(self.equal, self.slowed) > 0 and self.alarms <= self.alarms_allowed
                and self.found >= self.found_wanted)

    def lines(self, slowdown_percent: int) -> list[str]:
        """The sums in words, and whether they hold."""
        return [
            f"- of {self.equal} comparisons of equal sides (A/A), {self.alarms} said anything but "
            f"\"no difference shown\" (allowed: {self.alarms_allowed})",
            f"- of {self.slowed} comparisons with a slowdown of {slowdown_percent} % (A/B), "
            f"{self.found} found it (wanted: {self.found_wanted})",
            f"- **the proof {'holds' if self.holds else 'FAILS'}**",
        ]


def report(outcomes: list[Outcome], settings: list[str], slowdown_percent: int) -> str:
    """The whole of COMPARE.md."""
    rows = [line(cells(number, each)) for number, each in enumerate(outcomes, 1)]
    seconds = sum(each.wall_s for each in outcomes)
    return "\n".join([
        "# Does `plimsoll compare` tell the truth?",
        "",
        "Written by `make compare-proof`; how to read it: [README.md](README.md).",
        "",
        *Sums.of(outcomes).lines(slowdown_percent),
        "",
        "## Settings",
        "",
        f"- date: {machine.time_text(time.time())}; {seconds / 60:.1f} min",
        *settings,
        "",
        "## Comparisons",
        "",
        "In the order in which they were made.",
        "",
        line(COLUMNS),
        "|" + " --- |" * len(COLUMNS),
        *rows,
    ]) + "\n"
