#!/usr/bin/env python3
"""Puts `plimsoll compare` to the proof on a real server: bench/README.md says how.

Exit code 0: few enough false alarms and enough slowdowns found; 1: not so; 2: cannot measure.
"""

import argparse
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from plimsoll_bench import clients, compare, machine, stats

BENCH = Path(__file__).resolve().parent
LAB = BENCH.parent / "lab"
SLEEP_MS = 20
SLOWDOWN_PERCENT = 15
USERS = 8
WARM_UP_S = 10
COMPARISONS = 20
INSTANCE = "compare-proof"


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--comparisons", type=int, default=COMPARISONS, metavar="N",
                        help=f"of each kind (default {COMPARISONS})")
    parser.add_argument("--pairs", type=int, default=10, metavar="N",
                        help="interleaved pairs of runs in each comparison (default 10)")
    parser.add_argument("--duration", type=float, default=0.5, metavar="SECONDS",
                        help="of each run (default 0.5)")
    parser.add_argument("--out", type=Path, metavar="FILE",
                        help="where the report goes (default bench/COMPARE.md if nothing else is "
                             "asked; else it is only printed)")
    given = parser.parse_args()
    if given.comparisons < 1 or given.pairs < 2 or given.duration < 0.1:
        parser.error("at least 1 comparison, 2 pairs and 0.1 s are needed")
    as_usual = all(getattr(given, name) == parser.get_default(name)
                   for name in ("comparisons", "pairs", "duration"))
    if given.out is None and as_usual:
        given.out = BENCH / "COMPARE.md"
    return given


@contextlib.contextmanager
def lab(state: Path):
    """The URL of a lab service of its own, which is stopped at the end."""
    environment = {**os.environ, "PLIMSOLL_LAB_STATE": str(state)}
    try:
        started = subprocess.run([str(LAB / "start.sh"), "--name", INSTANCE], env=environment,
                                 stdout=subprocess.PIPE, text=True, check=False)
        if started.returncode:
            raise compare.ProofFailed("the lab service did not start")
        facts = dict(each.split("=", 1) for each in started.stdout.split())
        yield facts["URL"]
    finally:
        subprocess.run([str(LAB / "stop.sh"), INSTANCE], env=environment, check=False)


def write_plans(directory: Path) -> dict[str, tuple[Path, Path]]:
    """The plans of both sides, by kind. Equal sides: the same text under two names."""
    template = (BENCH / "plans" / "compare.yaml").read_text()
    slower_ms = round(SLEEP_MS * (1 + SLOWDOWN_PERCENT / 100))
    paths = {}
    for name, sleep_ms in (("a", SLEEP_MS), ("same", SLEEP_MS), ("slower", slower_ms)):
        paths[name] = directory / f"{name}.yaml"
        paths[name].write_text(compare.plan_text(template, sleep_ms))
    return {compare.EQUAL: (paths["a"], paths["same"]),
            compare.SLOWED: (paths["a"], paths["slower"])}


def warm(bench: compare.Bench, plan: Path, work: Path) -> None:
    """Lets the JVM compile: without sleep, for many requests."""
    quick = work / "warm.yaml"
    quick.write_text(compare.plan_text(plan.read_text(), 0))
    bench.load(quick, work / "warm", WARM_UP_S)


def prove(bench: compare.Bench, work: Path, comparisons: int) -> list[compare.Outcome]:
    """Makes all comparisons; the kinds take turns, so that both meet the same machine."""
    plans = write_plans(work)
    print(f"warming the server for {WARM_UP_S} s", file=sys.stderr, flush=True)
    warm(bench, plans[compare.EQUAL][0], work)
    print(compare.line(compare.COLUMNS), flush=True)
    outcomes = []
    for index in range(comparisons):
        for kind in stats.order(index, compare.EQUAL, compare.SLOWED):
            runs = work / "runs"
            outcomes.append(bench.compare(kind, plans[kind], runs))
            shutil.rmtree(runs)
            print(compare.line(compare.cells(len(outcomes), outcomes[-1])), flush=True)
    return outcomes


def settings(given: argparse.Namespace, binary: Path) -> list[str]:
    """What the report says about how it was made; asked for before the measuring."""
    return [
        *machine.basics(),
        f"- plimsoll {clients.version('plimsoll')}, built "
        + machine.time_text(binary.stat().st_mtime),
        f"- each comparison: `plimsoll compare --interleave A B --pairs {given.pairs} "
        f"--duration {given.duration:g}s --users {USERS}`",
        f"- A: the lab service's `/hello?sleep={SLEEP_MS}` under two labels "
        "([plans/compare.yaml](plans/compare.yaml)); B: the same plan under another name (A/A), "
        f"or with a sleep {SLOWDOWN_PERCENT} % longer (A/B)",
        f"- the JVM is warmed for {WARM_UP_S} s first; nothing is pinned",
        f"- load average of the machine before: {machine.load_average():.2f}",
    ]


def measure(given: argparse.Namespace, original: Path) -> tuple[str, bool]:
    """The report's text, and whether the proof holds."""
    facts = settings(given, original)
    with tempfile.TemporaryDirectory(prefix="plimsoll-compare-") as name:
        work = Path(name)
        # A copy, since a build may replace the program meanwhile.
        binary = Path(shutil.copy2(original, work / "plimsoll"))
        with lab(work / "lab") as url:
            bench = compare.Bench(binary, url, given.pairs, given.duration, USERS)
            outcomes = prove(bench, work, given.comparisons)
    text = compare.report(outcomes, facts, SLOWDOWN_PERCENT)
    return text, compare.Sums.of(outcomes).holds


def main() -> int:
    """Proves, writes and prints; the exit code tells whether the proof holds."""
    given = arguments()
    binary = clients.subject_binary()
    if not binary:
        print("plimsoll is not built: run make build", file=sys.stderr)
        return 2
    # So that a terminated proof, too, stops its server on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    try:
        text, holds = measure(given, binary)
    except (compare.ProofFailed, subprocess.TimeoutExpired) as error:
        print(f"cannot measure: {error}", file=sys.stderr)
        return 2
    if given.out:
        given.out.write_text(text)
    print("\n" + text)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
