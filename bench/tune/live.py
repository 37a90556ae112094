#!/usr/bin/env python3
"""Searches surfaces live: `plimsoll tune` on the real system, held against the best points of the measured grid.

live.py [NAME…] [--seed N] [--rounds N]

The study may make as many trials of its search as a fifth of the grid has points, all counted, and ten more for its end.
What leads when the search is over then runs in turn with the three best points of the grid as it was measured
(data/NAME.jsonl), each with a start of its own. A line of live.jsonl is a search that is done and is not done again; with
more --rounds those that it lacks are added.
Writes bench/TUNE-LIVE.md.

environment: PLIMSOLL (the binary; default target/release/plimsoll)
"""

import argparse
import json
import math
import os
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from functools import partial
from pathlib import Path

from surface import HERE, PLIMSOLL, ROOT, SURFACES, LabCase, end, free_port, in_turn, measure, studied, wait_for, whole_lines

DATA = HERE / "live.jsonl"
RESULT = ROOT / "bench" / "TUNE-LIVE.md"
SHARE = 0.2
NEAR = 0.95
# Trials that a study keeps for its end, at least.
FOR_THE_END = 10
BEST_OF_GRID = 3
MEASURE_S = 3.0
# Spring reads these from the environment.
OF_SPRING = {
    "tomcat_threads_max": "SERVER_TOMCAT_THREADS_MAX",
    "hikari_maximum_pool_size": "SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE",
    "tomcat_max_keep_alive_requests": "SERVER_TOMCAT_MAX_KEEP_ALIVE_REQUESTS",
}


def variable(knob: str) -> str:
    return OF_SPRING.get(knob, knob.upper())


def serve(name: str, port: int) -> None:
    """A system with the settings of its environment, until it is told to end."""
    kind = SURFACES[name]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        system = kind(folder)
        try:
            system.port = port
            system.apply({knob: int(os.environ[variable(knob)]) for knob in kind.knobs})
            while True:
                signal.pause()
        finally:
            system.close()


class Searched:
    """A system that a study can start: by a command, with its settings in the environment."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name, self.kind = name, SURFACES[name]
        self.users, self.warm_up_s = self.kind.users, self.kind.warm_up_s
        self.folder = folder
        self.process = None
        self.case = self.kind(folder) if issubclass(self.kind, LabCase) else None
        self.port = self.case.port if self.case else free_port()
        self.command = (
            self.case.command if self.case else [sys.executable, str(HERE / "live.py"), "--serve", name, str(self.port)]
        )

    def load(self) -> list[str]:
        if self.case:
            return self.case.load()
        way = {"nginx-proxy": "items.json"}.get(self.name, "")
        return [f"http://127.0.0.1:{self.port}/{way}", "-H", "Accept-Encoding: gzip"]

    def plan(self) -> str:
        """A file that the study names."""
        if self.case:
            return self.case.plan
        place = self.folder / "plan.yaml"
        steps = [{"get": self.load()[0], "headers": {"Accept-Encoding": "gzip"}}]
        place.write_text(json.dumps({"name": self.name, "users": self.users, "duration": "1h", "steps": steps}))
        return str(place)

    def apply(self, values: dict) -> None:
        end(self.process)
        own = {variable(knob): str(value) for knob, value in values.items()}
        with open(self.folder / "own.log", "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env={**os.environ, **own})
        wait_for(self.port, self.process)

    def close(self) -> None:
        end(self.process)
        if self.case:
            self.case.close()


def study(system: Searched, allowed: int, seed: int) -> dict:
    knobs = system.kind.knobs
    return {
        "name": f"live-{system.name}",
        "plan": system.plan(),
        "users": system.users,
        "objective": "maximise throughput",
        "measure": f"{MEASURE_S:.0f}s",
        "warm-up": f"{max(1.0, system.warm_up_s):.0f}s",
        "components": {
            "system": {
                "start": shlex.join(system.command),
                "environment": {variable(knob): str(values[0]) for knob, values in knobs.items()},
                "ready": f"127.0.0.1:{system.port}",
                "ready-within": "2m",
            }
        },
        "knobs": {
            knob: {"env": variable(knob), "values": [str(value) for value in values]} for knob, values in knobs.items()
        },
        "trials": allowed + FOR_THE_END,
        "seed": seed,
    }


def best_of_grid(name: str) -> tuple[int, list[dict]]:
    """How many points the grid has, and its best as they were measured."""
    rates = defaultdict(list)
    for line in whole_lines(HERE / "data" / f"{name}.jsonl"):
        rates[json.dumps(line["values"])].append(line["throughput_per_s"])
    ordered = sorted(rates, key=lambda values: -statistics.mean(rates[values]))
    return len(ordered), [json.loads(values) for values in ordered[:BEST_OF_GRID]]


def searched(name: str, system: Searched, args, folder: Path) -> dict:
    """What a study finds."""
    points, best = best_of_grid(name)
    allowed = math.floor(SHARE * points)
    told = studied(args.plimsoll, study(system, allowed, args.seed), folder)
    found = {knob: values[0] for knob, values in system.kind.knobs.items()}
    found |= {knob: int(value) for knob, value in told["best"].items()}
    reasons = [trial["why"]["reason"] for trial in told["trials"]]
    of_search = [reason for reason in reasons if reason not in ("final", "put_back")]
    return {
        "name": name,
        "seed": args.seed,
        "points": points,
        "allowed": allowed,
        "trials": len(of_search),
        "found": found,
        "kept": told["kept"],
        "best": best,
        "rounds": [],
    }


def measure_in_turn(line: dict, system: Searched, args, folder: Path) -> None:
    """Adds the rounds that are not there: of what was found and of the best of the grid."""

    def rate(values: dict) -> float:
        system.apply(values)
        return measure(system, args.plimsoll, MEASURE_S, folder)["throughput_per_s"]

    left = range(len(line["rounds"]), args.rounds)
    line["rounds"] += in_turn(left, [partial(rate, each) for each in (line["found"], *line["best"])])


def search(name: str, known: dict | None, args) -> dict:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)
        system = Searched(name, folder)
        try:
            line = known or searched(name, system, args, folder)
            measure_in_turn(line, system, args, folder)
        finally:
            system.close()
    return line


def share(line: dict) -> tuple[float, int]:
    """Of the best of the grid's points, by the means of logarithms; which of them that is."""
    means = [statistics.mean(math.log(rates[which]) for rates in line["rounds"]) for which in range(1 + BEST_OF_GRID)]
    best = max(range(1, 1 + BEST_OF_GRID), key=lambda which: means[which])
    return math.exp(means[0] - means[best]), best - 1


def in_words(values: dict) -> str:
    return ", ".join(f"{knob} {value}" for knob, value in values.items())


def written(done: list[dict]) -> str:
    lines = [
        "# Surfaces that `plimsoll tune` searched live",
        "",
        "Made by `bench/tune/live.py`: a study on the real system itself, whose search may make as many trials as a fifth of the",
        "grid has points, all of them counted. What leads then runs in turn with the three best points of the grid as it was",
        f"measured before, each with a start of its own; its share is of the best of the three as they run now. {NEAR:.0%} is wanted.",
        "",
        "| surface | seed | trials of the search | found | best of the grid now | share |",
        "|---|---|---|---|---|---|",
    ]
    for line in done:
        of_best, which = share(line)
        lines.append(
            f"| {line['name']} | {line['seed']} | {line['trials']} of {line['allowed']} | {in_words(line['found'])} "
            f"| {in_words(line['best'][which])} | {of_best:.3f} ({len(line['rounds'])} rounds) |"
        )
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(SURFACES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--serve", nargs=2, metavar=("NAME", "PORT"), help=argparse.SUPPRESS)
    parser.add_argument("--plimsoll", default=PLIMSOLL)
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if args.serve:
        serve(args.serve[0], int(args.serve[1]))
    unknown = [each for each in args.names if each not in SURFACES]
    if unknown:
        parser.error(f"{unknown[0]}: no such surface; there are {', '.join(SURFACES)}")
    done = {(line["name"], line["seed"]): line for line in whole_lines(DATA)}
    for name in args.names or ("nginx-proxy", "php-pool"):
        line = search(name, done.get((name, args.seed)), args)
        done[name, args.seed] = line
        DATA.write_text("".join(json.dumps(each) + "\n" for each in done.values()))
        RESULT.write_text(written(list(done.values())))


if __name__ == "__main__":
    main()
