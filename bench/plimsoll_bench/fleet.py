"""What the reports of many workers cost their controller: decoded, merged exactly, stored."""

import json
import os
import subprocess
from pathlib import Path

from . import stats
from .context import Context
from .table import NO_TARGET, Row, judge

SECTION = "Reports of 1,000 workers with 50 labels, each second: decoded, merged, stored; no network"
PROGRAM = Path(__file__).resolve().parents[2] / "target/release/examples/fleet_cost"
WORKERS, LABELS, SECONDS = 1_000, 50, 20
# Samples of a label in a second of a worker: the more, the more of a histogram is filled.
SAMPLES, MORE_SAMPLES = 20, 200
RUNS = 5
MOST_CPU = 0.5
MOST_MB = 500
LONGEST_S = 600


def fleet(ctx: Context) -> None:
    """CPU of a core and memory, for few and for many samples of each label."""
    if not PROGRAM.is_file():
        ctx.table.add(Row(SECTION, "CPU", verdict="not built"))
        ctx.note("fleet: run `make bench-fleet`")
        return
    for samples in (SAMPLES, MORE_SAMPLES):
        runs = [_run(ctx, samples) for _ in range(RUNS)]
        what = f"{samples} samples a label and second of each worker"
        _add(ctx, f"CPU, share of a core; {what}", [run["cpu_share"] for run in runs],
             MOST_CPU, 2, "")
        _add(ctx, f"memory at most; {what}", [run["peak_mb"] for run in runs], MOST_MB, 0, " MB")
        _add(ctx, f"reports; {what}", [run["in_bytes_per_s"] / 1e6 for run in runs],
             None, 1, " MB/s")
        _add(ctx, f"kept; {what}", [run["kept_bytes_per_s"] / 1e3 for run in runs],
             None, 0, " kB/s")


def _run(ctx: Context, samples: int) -> dict:
    argv = [PROGRAM, str(WORKERS), str(LABELS), str(SECONDS), str(samples)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, timeout=LONGEST_S,
                          preexec_fn=lambda: os.sched_setaffinity(0, {ctx.client_core}))
    ctx.note(f"fleet: {done.stdout.strip()}")
    return json.loads(done.stdout)


def _add(ctx: Context, what: str, values: list, most: float | None, digits: int,
         unit: str) -> None:
    spread = stats.Spread.of(values)
    ctx.table.add(Row(
        SECTION, what, plimsoll=f"{spread.median:.{digits}f}{unit}",
        spread=f"{spread.text(digits)}; {spread.count} runs",
        target=f"< {most:g}{unit}" if most else NO_TARGET,
        verdict=judge(spread.median, most) if most else NO_TARGET))
