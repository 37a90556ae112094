"""What a simple Groovy expression costs in the JVM companion."""

import os
import subprocess
from pathlib import Path

from . import parse, stats
from .context import Context
from .table import FAILS, Row, judge

SECTION = "A simple Groovy expression in the JVM companion, the way there and back"
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "target/release/examples/groovy_cost"
COMPANION = ROOT / "target/companion"
RUNS = 5
MOST_MS = 0.2
LONGEST_S = 120


def groovy(ctx: Context) -> None:
    """The median of each run, for one user and for several at once."""
    if not PROGRAM.is_file() or not (COMPANION / "companion.jar").is_file():
        ctx.table.add(Row(SECTION, "median", verdict="not built"))
        ctx.note("groovy: run `make bench-groovy`")
        return
    medians: dict[int, list[float]] = {}
    for _ in range(RUNS):
        # This process keeps to one core; engine and companion shall not share it.
        both = {ctx.client_core, ctx.server_core}
        done = subprocess.run([PROGRAM, COMPANION], capture_output=True, text=True, check=True,
                              timeout=LONGEST_S,
                              preexec_fn=lambda: os.sched_setaffinity(0, both))
        # The first line of a number of users is the JVM's warming up, if a second follows.
        for users, median_ms in dict(parse.groovy_cost(done.stdout)).items():
            medians.setdefault(users, []).append(median_ms)
    for users, values in medians.items():
        spread = stats.Spread.of(values)
        limited = users == 1
        ctx.table.add(Row(
            SECTION, "median, one user" if limited else f"median, {users} users at once",
            plimsoll=f"{spread.median:.3f} ms",
            spread=f"{spread.text(3)}; {spread.count} runs",
            target=f"< {MOST_MS:g} ms" if limited else "–",
            verdict=judge(spread.median, MOST_MS) if limited else "–",
        ))
        ctx.note(f"groovy, {users} users: {values} ms")
    if not medians:
        ctx.table.add(Row(SECTION, "median", verdict=FAILS))
