#!/usr/bin/env python3
"""Makes runs with a starved generator and fair ones, and holds plimsoll's verdicts against them.

Writes bench/HONESTY.md once every run was made; what was made is kept in target/honesty.json, and
a call goes on where the last one ended. Needs root (control groups, a network namespace).

Exit code 0: at least 30 of each kind were judged and none is wrong; 1: not so; 2: cannot run.
"""

import argparse
import dataclasses
import json
import os
import sys
from pathlib import Path

from plimsoll_bench import clients, context, honesty, machine, proc
from plimsoll_bench.honesty_cases import all_cases

KEPT = clients.ROOT / "target" / "honesty.json"
PAGE = clients.BENCH / "HONESTY.md"
#: So many of each kind are judged.
LEAST = 30


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="NAMES", default="",
                        help="runs whose names begin with one of these, comma-separated; made "
                             "again, printed, and not kept")
    parser.add_argument("--fresh", action="store_true", help="forget what was made before")
    parser.add_argument("--realtime", action="store_true",
                        help="give fair runs a real-time priority, on a machine that is not quiet")
    parser.add_argument("--list", action="store_true", help="print the names of all runs")
    return parser.parse_args()


def kept(fresh: bool) -> dict:
    """The outcomes that were made before, by name; those that were not fit are made again."""
    if fresh or not KEPT.exists():
        return {}
    outcomes = [honesty.Outcome(**it) for it in json.loads(KEPT.read_text())]
    return {it.name: it for it in outcomes if it.fit()}


def page(outcomes: list) -> str:
    """bench/HONESTY.md."""
    heading = ["# Whose time is it", "",
               "Runs with a generator that lacks something, and runs whose target is to blame for "
               "what they show; made by `make bench-honesty`. A run is fair when, measured outside "
               "of plimsoll, its threads waited for a CPU and the hypervisor took CPU for less than "
               f"{honesty.FAIR_SHARE:.0%} of it. [Why](../docs/design/generator.md).", ""]
    return "\n".join([*heading, *machine.basics(), "", honesty.matrix(outcomes)])


def main() -> int:
    """Makes what is asked for."""
    given = arguments()
    cases = all_cases()
    if given.list:
        print("\n".join(case.name for case in cases))
        return 0
    if os.geteuid() != 0 or clients.subject_binary() is None:
        print("needs root, and plimsoll (make build, or PLIMSOLL_BIN)", file=sys.stderr)
        return 2
    names = tuple(name for name in given.only.split(",") if name)
    known = {} if names else kept(given.fresh)
    wanted = [case for case in cases if not names or case.name.startswith(names)]
    machine.raise_file_limit()
    cores = context.choose_cores()
    # This process itself stays off the load's core.
    os.sched_setaffinity(0, {cores[1]})
    with context.work_directory() as name:
        bench = honesty.Bench(Path(name), cores, given.realtime)
        try:
            for case in wanted:
                if case.name in known:
                    continue
                known[case.name] = bench.draw(case)
                honesty.progress(known[case.name])
                if not names:
                    keep(known)
        finally:
            proc.stop_all()
    outcomes = [known[case.name] for case in wanted]
    if not names:
        PAGE.write_text(page(outcomes))
    print(honesty.matrix(outcomes))
    fit = [it for it in outcomes if it.fit()]
    enough = all(sum(it.starved == kind for it in fit) >= LEAST for kind in (True, False))
    return 0 if all(it.right() for it in fit) and (enough or bool(names)) else 1


def keep(known: dict) -> None:
    """Keeps the outcomes so far."""
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps([dataclasses.asdict(it) for it in known.values()], indent=1))


if __name__ == "__main__":
    sys.exit(main())
