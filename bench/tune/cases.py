#!/usr/bin/env python3
"""Tunes cases of the lab whose fault is one of several knobs, and holds the result against the cure by hand.

cases.py [CASE…] [--time 8m] [--seed N] [--pairs N] [--more] [--list]

Each case is started with its fault; a study with the faulty setting among three to six knobs is given to `plimsoll tune`.
What it keeps and the hand's cure then run in turn, each with a start of its own. A line of cases.jsonl is a case
that is done and is not done again; `--more` adds pairs to it, by what its study kept. Writes bench/TUNE-CASES.md.

environment: PLIMSOLL (the binary; default target/release/plimsoll)
"""

import argparse
import json
import math
import shlex
import signal
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from surface import HERE, PLIMSOLL, ROOT, LabCase, end, in_turn, measure, studied, told, whole_lines

DATA = HERE / "cases.jsonl"
RESULT = ROOT / "bench" / "TUNE-CASES.md"
FILE = "application.properties"
# Knobs by name: the key of the service's file that each stands in, or the argument of its JVM.
KEYS = {
    "tomcat.threads.max": "server.tomcat.threads.max",
    "tomcat.max-connections": "server.tomcat.max-connections",
    "tomcat.accept-count": "server.tomcat.accept-count",
    "jetty.threads.max": "server.jetty.threads.max",
    "tomcat.compression": "server.compression.enabled",
    "hikari.maximum-pool-size": "spring.datasource.hikari.maximum-pool-size",
}
# Logback's file of a service, and its knob: lines are written by the thread that logs, or handed over to another.
LOGBACK = "logback.xml"
APPENDER = "logging.logback.appender"
APPENDERS = """<configuration>
  <appender name="FILE" class="ch.qos.logback.core.FileAppender">
    <file>{folder}/service.log</file>
    <append>false</append>
    <encoder><pattern>%d %-5level [%thread] %logger: %msg%n</pattern></encoder>
  </appender>
  <appender name="ASYNC" class="ch.qos.logback.classic.AsyncAppender">
    <appender-ref ref="FILE"/>
  </appender>
  <root level="INFO">
    <appender-ref ref="{appender}"/>
  </root>
</configuration>
"""
ARGUMENTS = {"jvm.heap.max": "-Xmx{}", "jvm.collector": "-XX:+Use{}GC"}
THREADS = {"range": "4..400", "by-ratio": True}
CONNECTIONS = {"range": "10..8192", "by-ratio": True}
BACKLOG = {"range": "4..1024", "by-ratio": True}
POOL = {"range": "1..100", "by-ratio": True}
HEAP = {"values": ["256m", "512m", "1g"]}
COLLECTOR = {"values": ["Serial", "Parallel", "G1"]}


@dataclass(frozen=True)
class CaseOfStudy:
    """A case of the lab, and the knobs of its study: those that its cure changes come first."""

    lab: str
    first: int
    knobs: dict
    # Arguments of its JVM, where it is by them that the service is faulty: as it is, and by hand's cure.
    faulty: dict = field(default_factory=dict)
    cured: dict = field(default_factory=dict)
    # Appenders of its log, as it is and by hand's cure, where it is the log that makes it faulty.
    appenders: dict = field(default_factory=dict)
    # What is watched beside its actuator.
    watch: tuple = ()


CASES = {
    "F01": CaseOfStudy("F01", 1, {"tomcat.threads.max": THREADS, "tomcat.max-connections": CONNECTIONS,
                                  "jvm.collector": COLLECTOR, "jvm.heap.max": HEAP}),
    "F01-jetty": CaseOfStudy("F01-jetty", 1, {"jetty.threads.max": THREADS, "jvm.heap.max": HEAP,
                                              "jvm.collector": COLLECTOR}),
    "F03": CaseOfStudy("F03", 3, {"tomcat.threads.max": THREADS, "tomcat.max-connections": CONNECTIONS,
                                  "tomcat.accept-count": BACKLOG, "jvm.heap.max": HEAP}),
    "F03-keepalive": CaseOfStudy("F03-keepalive", 1, {"tomcat.max-connections": CONNECTIONS, "tomcat.threads.max": THREADS,
                                                      "tomcat.accept-count": BACKLOG, "jvm.collector": COLLECTOR}),
    "F05": CaseOfStudy("F05", 1, {"log": {"key": "logging.level.{package}", "values": ["DEBUG", "INFO", "WARN"]},
                                  "tomcat.threads.max": THREADS, "jvm.heap.max": HEAP, "jvm.collector": COLLECTOR}),
    "F11": CaseOfStudy("F11", 1, {"tomcat.compression": {}, "tomcat.threads.max": THREADS, "jvm.heap.max": HEAP,
                                  "jvm.collector": COLLECTOR}),
    "F19-pool": CaseOfStudy("F19-pool", 1, {"hikari.maximum-pool-size": POOL, "tomcat.threads.max": THREADS,
                                            "jvm.heap.max": HEAP}),
    # What allocates much, with a heap that is too small for it.
    "heap": CaseOfStudy("control-allocation", 1, {"jvm.heap.max": {"values": ["48m", "192m", "512m"]},
                                                  "jvm.collector": COLLECTOR, "tomcat.max-connections": CONNECTIONS,
                                                  "tomcat.accept-count": BACKLOG},
                        faulty={"jvm.heap.max": "48m", "jvm.collector": "G1"},
                        cured={"jvm.heap.max": "512m", "jvm.collector": "G1"}),
    # Lines of INFO for each request, which stay as they are: a lab's cure turns them off.
    "appender": CaseOfStudy("F06", 1, {APPENDER: {"values": ["FILE", "ASYNC"]}, "tomcat.threads.max": THREADS,
                                       "tomcat.max-connections": CONNECTIONS, "jvm.heap.max": HEAP},
                            appenders={"faulty": "FILE", "cured": "ASYNC"}, watch=("auto,allow=capture",)),
}


# Cases that are tuned without a study: the faulty settings are arguments of the service, and nothing says what may be
# changed but these arguments and the findings.
WITHOUT_STUDY = {
    "F01-start": ("F01", ["server.tomcat.threads.max", "server.tomcat.threads.min-spare"]),
}
ALL = [*CASES, *WITHOUT_STUDY]


class TunedCase(LabCase):
    """A case whose service is started with settings of its own, and by hand's cure. Each has a folder with its file."""

    warm_up_s = 8.0

    def __init__(self, folder: Path, of: CaseOfStudy) -> None:
        self.case, self.of = of.lab, of
        super().__init__(folder)
        try:
            self.look()
        except BaseException:
            self.close()
            raise

    def look(self) -> None:
        """Takes the files of both states, and leaves the service stopped."""
        self.users = json.loads(Path(self.plan).read_text())["users"]
        own = Path(self.app_facts()["directory"])
        self.keep("faulty", (own / FILE).read_text())
        # What the lab started is ended by now; a cure starts it anew.
        if not self.of.appenders:
            subprocess.run([*self.lab, "cure", self.name], check=True, capture_output=True)
            self.stop(self.app_facts()["pid"])
        self.keep("cured", (own / FILE).read_text())
        for state, appender in self.of.appenders.items():
            self.keep_appender(state, appender)
        self.management = self.app_facts()["management_url"]

    def keep(self, state: str, text: str) -> None:
        (self.folder / state).mkdir(exist_ok=True)
        (self.folder / state / FILE).write_text(text)

    def keep_appender(self, state: str, appender: str) -> None:
        (self.folder / state).mkdir(exist_ok=True)
        (self.folder / state / LOGBACK).write_text(APPENDERS.format(folder=self.folder, appender=appender))

    def text(self, state: str) -> str:
        return (self.folder / state / FILE).read_text()

    def started(self, state: str) -> list[str]:
        """The command that starts the service with the file of that state."""
        place = "--spring.config.additional-location=file:"
        command = [word for word in self.command if not word.startswith(place)]
        arguments = self.of.cured if state == "cured" else self.of.faulty
        logback = [f"--logging.config=file:{self.folder / state / LOGBACK}"] if self.of.appenders else []
        return [*with_arguments(command, arguments), f"{place}{self.folder / state}/", *logback]


def without_study(case: TunedCase, keys: list[str], args, folder: Path) -> tuple[dict, list[str]]:
    """What `plimsoll tune --start` says of the service whose faulty settings are its arguments, and the command with what
    is kept."""
    lines = dict(line.split("=", 1) for line in case.text("faulty").splitlines() if "=" in line)
    case.keep("plain", "".join(f"{key}={value}\n" for key, value in lines.items() if key not in keys))
    command = [*case.started("plain"), *(f"--{key}={lines[key]}" for key in keys)]
    said = told(
        args.plimsoll,
        [case.plan, "--start", shlex.join(command), "--watch", f"actuator={case.management}", "--measure", "5s",
         "--warm-up", "10s", "--time", args.time, "--seed", str(args.seed)],
        folder,
    )
    for name, value in (said["kept"] or {}).items():
        begins = f"--{KEYS[name]}="
        command = [f"{begins}{value}" if word.startswith(begins) else word for word in command]
    return said, command


def with_study(case: TunedCase, knobs: dict, args, folder: Path) -> tuple[dict, list[str]]:
    """What `plimsoll tune` says of a study, and the command with what is kept."""
    said = studied(args.plimsoll, study(case, knobs, args.time, args.seed), folder)
    return said, command_with(case, knobs, said["kept"] or {})


def command_with(case: TunedCase, knobs: dict, kept: dict) -> list[str]:
    """The command with what is kept, whose files are written."""
    kept = dict(kept)
    if case.of.appenders:
        case.keep_appender("tuned", kept.pop(APPENDER, case.of.appenders["faulty"]))
    properties, command = tuned(case.text("faulty"), case.started("tuned"), knobs, kept)
    case.keep("tuned", properties)
    return command


def package(properties: str) -> str:
    """Of the case's own code, where its settings name it."""
    begins = "logging.level."
    found = [line for line in properties.splitlines() if line.startswith(begins)]
    return found[0].removeprefix(begins).split("=")[0] if found else ""


def study(case: TunedCase, knobs: dict, most: str, seed: int) -> dict:
    return {
        "name": case.case,
        "plan": case.plan,
        "objective": "maximise throughput",
        "measure": "5s",
        "warm-up": "10s",
        "components": {
            "app": {
                "start": shlex.join(case.started("faulty")),
                "ready": f"{case.management}/actuator/health",
                "ready-within": "2m",
                "watch": [f"actuator={case.management}", *case.of.watch],
            }
        },
        "knobs": knobs,
        # An asynchronous appender may leave lines out, and a level of WARN does.
        "allow": [name for name in knobs if name in (APPENDER, "log")],
        "smallest-gain": "5%",
        "trials": 60,
        "time": most,
        "seed": seed,
    }


def placed(knobs: dict, properties: str) -> dict:
    """The knobs, with where each stands: in the service's file or its log's, but for those of its JVM."""
    made = {}
    for name, each in knobs.items():
        made[name] = dict(each)
        if name not in ARGUMENTS:
            made[name]["file"] = f"faulty/{LOGBACK if name == APPENDER else FILE}"
        if "key" in each:
            made[name]["key"] = each["key"].format(package=package(properties))
    return made


def tuned(properties: str, command: list[str], knobs: dict, kept: dict) -> tuple[str, list[str]]:
    """The faulty file and command with what the study keeps."""
    lines = properties.splitlines()
    arguments = {name: value for name, value in kept.items() if name in ARGUMENTS}
    for name in kept.keys() - arguments.keys():
        key = knobs[name].get("key") or KEYS[name]
        lines = [line for line in lines if not line.startswith(f"{key}=")] + [f"{key}={kept[name]}"]
    return "\n".join([*lines, ""]), with_arguments(command, arguments)


def with_arguments(command: list[str], arguments: dict) -> list[str]:
    """A JVM's command with the arguments of some knobs in place of those that it has."""
    for name, value in arguments.items():
        before, after = ARGUMENTS[name].split("{}")
        command = [word for word in command if not (word.startswith(before) and word.endswith(after))]
        command.insert(command.index("-jar"), f"{before}{value}{after}")
    return command


def interval(ratios: list[float]) -> tuple[float, float]:
    """Of the mean ratio at 95 %, by Student's t over logarithms (as many pairs as TWO_SIDED has)."""
    logs = [math.log(each) for each in ratios]
    half = TWO_SIDED[len(logs)] * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(statistics.mean(logs) - half), math.exp(statistics.mean(logs) + half)


TWO_SIDED = {
    5: 2.776, 6: 2.571, 7: 2.447, 8: 2.365, 12: 2.201, 16: 2.131, 20: 2.093, 40: 2.023, 60: 2.001, 80: 1.990, 120: 1.980,
}


def compared(
    case: TunedCase, commands: tuple[list[str], list[str]], count: int, args, folder: Path
) -> list[list[float]]:
    """The throughput of both, in so many pairs."""

    def rate(command: list[str]) -> float:
        case.start(command)
        return measure(case, args.plimsoll, 5.0, folder)["throughput_per_s"]

    pairs = in_turn(range(count), [partial(rate, each) for each in commands])
    end(case.app)
    return pairs


def with_more_pairs(done: dict, args) -> dict:
    """A case that is done, with so many pairs in all."""
    name = done["case"]
    left = args.pairs - len(done["pairs"])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        case = TunedCase(folder, CASES[name])
        try:
            knobs = placed(CASES[name].knobs, case.text("faulty"))
            commands = command_with(case, knobs, done["kept"]), case.started("cured")
            pairs = done["pairs"] + compared(case, commands, left, args, folder)
        finally:
            case.close()
    low, high = interval([mine / hand for mine, hand in pairs])
    return {**done, "pairs": pairs, "low": round(low, 4), "high": round(high, 4)}


def run_case(name: str, args) -> dict:
    like, keys = WITHOUT_STUDY.get(name, (name, []))
    of = CASES[like]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        case = TunedCase(folder, of)
        try:
            if keys:
                knobs = {knob: {} for knob in KEYS if KEYS[knob] in keys}
                said, command = without_study(case, keys, args, folder)
            else:
                knobs = placed(of.knobs, case.text("faulty"))
                said, command = with_study(case, knobs, args, folder)
            pairs = compared(case, (command, case.started("cured")), args.pairs, args, folder)
        finally:
            case.close()
    kept = said["kept"] or {}
    trials = said["trials"]
    seen = {each["knob"] for trial in trials for each in trial["result"].get("read_back", [])}
    low, high = interval([mine / hand for mine, hand in pairs])
    return {
        "case": name,
        "seed": args.seed,
        "knobs": list(knobs),
        "faulty": list(knobs)[: of.first],
        "kept": kept,
        "read_back": sorted(seen & set(kept)),
        "end": said["end"],
        "trials": len(trials),
        "seconds": round(said["seconds"]),
        "effect": said["effect"],
        "pairs": pairs,
        "low": round(low, 4),
        "high": round(high, 4),
    }


def written(done: list[dict]) -> str:
    lines = [
        "# What `plimsoll tune` makes of the lab's cases",
        "",
        "Made by `bench/tune/cases.py`. Each case is started with its fault; its faulty settings (in bold) are among the knobs",
        "of a study; `F01-start` has no study, and its faulty setting is an argument of the command. What is kept and the hand's",
        "cure then run in turn, each with a start of its own: their ratio, with its 95 % interval by Student's t over the pairs, and their number.",
        "",
        "| case | knobs | kept (in italics: not read back) | trials, time | gain by the study | of the hand's cure |",
        "|---|---|---|---|---|---|",
    ]
    for each in done:
        knobs = ", ".join(f"**{name}**" if name in each["faulty"] else name for name in each["knobs"])
        kept = ", ".join(
            f"{name} {value}" if name in each["read_back"] else f"*{name} {value}*" for name, value in each["kept"].items()
        )
        effect = each["effect"]
        gain = f"{effect['share']:+.0%}" if effect else "–"
        ratio = math.exp(statistics.mean(math.log(mine / hand) for mine, hand in each["pairs"]))
        lines.append(
            f"| {each['case']} | {knobs} | {kept or '–'} | {each['trials']}, {each['seconds'] / 60:.1f} min | {gain} "
            f"| {ratio:.2f} ({each['low']:.2f} to {each['high']:.2f}; {len(each['pairs'])}) |"
        )
    return "\n".join([*lines, ""])


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(ALL))
    parser.add_argument("--time", default="8m")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--pairs", type=int, default=5, choices=TWO_SIDED)
    parser.add_argument("--more", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--plimsoll", default=PLIMSOLL)
    given = parser.parse_args()
    unknown = [each for each in given.cases if each not in ALL]
    if unknown:
        parser.error(f"{unknown[0]}: no such case; there are {', '.join(ALL)}")
    return given


def add_pairs(done: list[dict], args) -> None:
    """Adds pairs to cases that are done, as far as they have fewer."""
    for at, each in enumerate(done):
        if each["case"] in args.cases and each["case"] in CASES and len(each["pairs"]) < args.pairs:
            done[at] = with_more_pairs(each, args)
            DATA.write_text("".join(json.dumps(one) + "\n" for one in done))
            RESULT.write_text(written(done))


def main() -> None:
    args = arguments()
    done = whole_lines(DATA)
    known = {each["case"] for each in done}
    if args.more:
        return add_pairs(done, args)
    todo = [each for each in args.cases or ALL if each not in known]
    print(f"{len(done)} cases are there, left: {', '.join(todo) or 'none'}", file=sys.stderr)
    if args.list:
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    for name in todo:
        done.append(run_case(name, args))
        with DATA.open("a") as file:
            file.write(json.dumps(done[-1]) + "\n")
        RESULT.write_text(written(done))


if __name__ == "__main__":
    main()
