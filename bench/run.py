#!/usr/bin/env python3
"""Measures plimsoll beside other load generators: bench/README.md says how.

Exit code 0: every target measured holds; 1: one was missed; 2: cannot measure.
"""

import argparse
import os
import shutil
import signal
import sys
from pathlib import Path

from plimsoll_bench import (
    account, before, context, count, cpu, fleet, groovy, jmx, latency, machine, memory, proc, watch,
)
from plimsoll_bench.nginx import Nginx

BENCHMARKS = {
    "get": cpu.get,
    "rate": cpu.rate,
    "https": cpu.https,
    "large": cpu.large,
    "memory": memory.memory,
    "one-request": latency.one_request,
    "freeze": latency.freeze,
    "count": count.count,
    "login": jmx.login,
    "groovy": groovy.groovy,
    "watch": watch.watch,
    "fleet": fleet.fleet,
    "watch-jvm": watch.watch_jvm,
    "watch-sources": watch.watch_sources,
    "watch-captures": watch.watch_captures,
    "watch-stacks": watch.watch_stacks,
    "watch-account": account.account,
    "before": before.before,
}

# What takes long or has a file of its own is measured when it is named.
USUAL = [name for name in BENCHMARKS if name != "before" and not name.startswith("watch-")]


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default=",".join(USUAL), metavar="NAMES",
                        help="comma-separated, of: " + ", ".join(BENCHMARKS))
    parser.add_argument("--pairs", type=int, default=9, metavar="N",
                        help="interleaved pairs for each yardstick (default 9)")
    parser.add_argument("--out", type=Path, metavar="FILE",
                        help="where the table goes (default bench/RESULTS.md if all is "
                             "measured; a part is only printed)")
    given = parser.parse_args()
    given.only = [name.strip() for name in given.only.split(",") if name.strip()]
    unknown = [name for name in given.only if name not in BENCHMARKS]
    if unknown or not given.only:
        parser.error(f"--only knows {', '.join(BENCHMARKS)}; not {', '.join(unknown) or 'nothing'}")
    if given.pairs < 1:
        parser.error("--pairs must be at least 1")
    if given.out is None and set(given.only) == set(USUAL):
        given.out = Path(__file__).resolve().parent / "RESULTS.md"
    return given


def measure(given: argparse.Namespace, load_before: float) -> tuple[str, list]:
    """Runs the benchmarks: the text of the results, and the rows that miss their target."""
    files = machine.raise_file_limit()
    client_core, server_core = context.choose_cores()
    # This process itself stays off the client's core.
    os.sched_setaffinity(0, {server_core})
    heading = machine.heading(given.pairs, (client_core, server_core), load_before)
    with context.work_directory() as name, Nginx(Path(name), server_core, files) as server:
        ctx = context.Context(server, Path(name), client_core, server_core, given.pairs)
        for each in given.only:
            print(f"{each}:", file=sys.stderr, flush=True)
            BENCHMARKS[each](ctx)
            text = heading + "\n" + ctx.table.markdown()
            if given.out:  # after each benchmark, so that none is lost
                given.out.write_text(text)
    return text, ctx.table.missed()


def main() -> int:
    """Runs and prints everything; then tells by the exit code whether a target was missed."""
    given = arguments()
    for tool in ("nginx", "openssl"):
        if not shutil.which(tool):
            print(f"{tool} is missing: run bench/peers.sh apt", file=sys.stderr)
            return 2
    # So that a terminated run, too, stops its server and clients on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))
    try:
        text, missed = measure(given, machine.load_average())
    finally:
        proc.stop_all()
    print(text)
    for row in missed:
        print(f"missed: {row.section}: {row.what} (target {row.target})", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
