#!/usr/bin/env python3
"""Runs the plans of plans/ and compares what Plimsoll does with what JMeter 5.6.3 does: the
requests on the wire, the samples with all that results can say of them, and the files that the
plans' own listeners write.

usage: differential.py [--update | --live] [PLAN ...]

  without options   Plimsoll now, against golden/PLAN.json
  --update          runs JMeter and writes golden/PLAN.json
  --live            runs both now and compares them

JMeter is in .jmeter (peer/get.sh assembles it) or where JMETER_HOME says; Plimsoll is
target/release/plimsoll or what PLIMSOLL names. What may differ, and why, is in
differences.json.

A plan's comment may hold marks: [unordered] (several threads: samples and requests are compared
as sets), [-Jname=value] (given to both), [--option] (given to Plimsoll), [mariadb] and [graphite]
(servers of beside.py that the plan needs; also [udp], [prometheus],
[table-server], [perfmon], [raw] and [websocket]), [plugins NAME] (jars that
peer/get.sh has laid in a folder of this name), [java] (it runs a second time, as PLAN.java, with Java's
own HTTP client).
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import beside
from normalise import (csv_file, normalised_requests, normalised_text, readable_xml, samples_of,
                       sorted_samples)
from recording_server import RecordingServer

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PLANS = HERE / "plans"
GOLDEN = HERE / "golden"
LONGEST_RUN_S = 180
JMETER_VERSION = "5.6.3"
# Results with all that can be said of a sample.
EVERYTHING = ["output_format=xml", "samplerData=true", "requestHeaders=true", "encoding=true",
              "responseHeaders=true", "response_data=true", "sample_count=true", "filename=true"]


# Plans that run again in another way: by mark, what both are given more.
VARIANTS = {"java": ["-Jjmeter.httpsampler=Java"]}

WORDS = {True: "ok  ", False: "FAIL"}


class Failed(Exception):
    """A run that gave no results."""


class Marks:
    """What a plan's comment asks of this test."""

    def __init__(self, plan, variant=""):
        text = plan.read_text(encoding="utf-8")
        found = re.search(r'name="TestPlan.comments">([^<]*)<', text)
        marks = re.findall(r"\[([^\]]*)\]", found.group(1) if found else "")
        self.unordered = "unordered" in marks
        self.options = [mark for mark in marks if mark.startswith("-J")]
        self.options += VARIANTS.get(variant, [])
        self.variants = [mark for mark in marks if mark in VARIANTS]
        self.beside = [beside.KINDS[mark] for mark in marks if mark in beside.KINDS]
        self.own_options = [mark for mark in marks if mark.startswith("--")]
        # Folders of jars, by their names in peer/get.sh.
        self.plugins = [mark.removeprefix("plugins ") for mark in marks if mark.startswith("plugins ")]


# What JMeter's own start script opens of Java to plugins.
OPENED = [f"--add-opens=java.base/{package}=ALL-UNNAMED"
          for package in ("java.lang", "java.lang.invoke", "java.lang.reflect", "java.util")]


def jmeter_command():
    home = pathlib.Path(os.environ.get("JMETER_HOME", HERE / ".jmeter"))
    jar = home / "bin/ApacheJMeter.jar"
    if not jar.is_file():
        sys.exit(f"{jar} is not there: run tests/jmeter/peer/get.sh, or name another in JMETER_HOME")
    return ["java", *OPENED, "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "-Duser.language=en", "-Duser.region=US", "-Duser.timezone=UTC",
            "-jar", str(jar), "-n", "-j", "jmeter.log"]


def plimsoll_command():
    named = os.environ.get("PLIMSOLL")
    found = pathlib.Path(named) if named else ROOT / "target/release/plimsoll"
    if not found.is_file():
        sys.exit(f"{found} is not there: run `make build` first, or name another in PLIMSOLL")
    return [str(found.resolve()), "run"]


def arguments(plan, command, marks, port, more):
    properties = [f"jmeter.save.saveservice.{setting}" for setting in EVERYTHING]
    properties += [f"port={port}", "host=127.0.0.1", "summariser.name="]
    options = [f"-J{name}" for name in properties] + marks.options + more
    folders = [str(HERE / ".jmeter/plugins" / name) for name in marks.plugins]
    if "-jar" in command:
        where = ["-t", plan.name, *(f"-Jsearch_paths={folder}" for folder in folders)]
    else:
        where = [plan.name, *marks.own_options, *(f"--plugins={folder}" for folder in folders)]
    return [*command, *where, "-l", "results.xml", *options]


def run(plan, command, variant=""):
    """What came of a plan: requests, samples, files."""
    marks = Marks(plan, variant)
    with (tempfile.TemporaryDirectory() as folder, RecordingServer() as server,
          contextlib.ExitStack() as stack):
        others = [kind() for kind in marks.beside]
        for other in others:
            other.for_jmeter = "-jar" in command
            stack.enter_context(other)
        folder = pathlib.Path(folder)
        for extra in [plan, *PLANS.glob("data/*")]:
            shutil.copy(extra, folder)
        given = {path.name for path in folder.iterdir()}
        for other in others:
            if hasattr(other, "start"):
                other.start(folder)
        more = [option for other in others for option in other.options]
        argv = arguments(plan, command, marks, server.port, more)
        environment = dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8")
        done = subprocess.run(argv, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=LONGEST_RUN_S)
        log = folder / "jmeter.log"
        logged = "".join(re.findall(r".* ERROR .*\n", log.read_text())) if log.exists() else ""
        if logged and os.environ.get("SHOW_LOG"):
            print(plan.stem, logged)
        results = folder / "results.xml"
        if not results.is_file():
            raise Failed(f"no results (exit {done.returncode}):\n{done.stdout[-3000:]}{logged}")
        return outcome(folder, given, server, marks, results, others)


def outcome(folder, given, server, marks, results, others):
    def replace(text):
        for other in others:
            text = other.text(text)
        return normalised_text(text, server.port, folder)

    try:
        root = ElementTree.fromstring(readable_xml(replace(results.read_text(encoding="utf-8"))))
    except ElementTree.ParseError as error:
        raise Failed(f"results.xml cannot be read: {error}") from error
    samples = samples_of(root)
    requests = normalised_requests(server.requests, replace)
    if marks.unordered:
        samples = sorted_samples(samples)
        requests = sorted(requests, key=json.dumps)
    files = {}
    given |= {"results.xml", "jmeter.log"}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        # plimsoll-runs is where Plimsoll keeps its own results.
        if path.is_file() and name not in given and not name.startswith("plimsoll-runs/"):
            files[name] = csv_file(replace(path.read_text(encoding="utf-8", errors="replace")))
    for other in others:
        files |= other.files()
    return {"requests": requests, "samples": samples, "files": files}


def differences(expected, got, path=""):
    """Where two outcomes differ: (path, expected, got)."""
    if isinstance(expected, dict) and isinstance(got, dict):
        for key in [*expected, *(key for key in got if key not in expected)]:
            inner = f"{path}.{key}" if path else key
            yield from differences(expected.get(key), got.get(key), inner)
    elif isinstance(expected, list) and isinstance(got, list):
        if len(expected) != len(got):
            yield f"{path}.length", len(expected), len(got)
        for at, (left, right) in enumerate(zip(expected, got)):
            yield from differences(left, right, f"{path}[{at}]")
    elif is_long(expected) and is_long(got):
        yield from differences(expected.split("\n"), got.split("\n"), path)
    elif expected != got:
        yield path, expected, got


def is_long(value):
    return isinstance(value, str) and "\n" in value


class Allowed:
    """What may differ: each rule is for plans and paths (patterns), with its reason, and may
    say what the expected and the found text must be."""

    def __init__(self):
        self.rules = json.loads((HERE / "differences.json").read_text(encoding="utf-8"))

    def __call__(self, plan, path, expected, got):
        full = lambda pattern, text: re.fullmatch(pattern, str(text), re.DOTALL)
        return any(full(rule["plan"], plan) and full(rule["path"], path)
                   and full(rule.get("jmeter", ".*"), expected)
                   and full(rule.get("plimsoll", ".*"), got) for rule in self.rules)


def short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 300 else text[:300] + " ..."


def compare(name, expected, got, allowed):
    """Lines on what differs and may not."""
    found = [each for each in differences(expected, got) if not allowed(name, *each)]
    lines = [f"    {path}\n      JMeter:   {short(left)}\n      Plimsoll: {short(right)}"
             for path, left, right in found[:12]]
    if len(found) > 12:
        lines.append(f"    ... {len(found) - 12} more")
    return lines


def golden_of(name):
    path = GOLDEN / f"{name}.json"
    if not path.is_file():
        raise Failed(f"{path} is not there: run with --update")
    return json.loads(path.read_text(encoding="utf-8"))["outcome"]


def one(name, options, allowed):
    """Runs a plan; gives its name, whether all is well, and lines to show."""
    stem, _, variant = name.partition(".")
    plan = PLANS / f"{stem}.jmx"
    try:
        if options.update:
            found = {"jmeter": JMETER_VERSION, "outcome": run(plan, jmeter_command(), variant)}
            text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
            (GOLDEN / f"{name}.json").write_text(text, encoding="utf-8")
            count = found["outcome"]
            return name, True, [f"    {len(count['samples'])} samples, "
                                f"{len(count['requests'])} requests"]
        expected = run(plan, jmeter_command(), variant) if options.live else golden_of(name)
        lines = compare(name, expected, run(plan, plimsoll_command(), variant), allowed)
        return name, not lines, lines
    except (Failed, subprocess.TimeoutExpired) as error:
        return name, False, [f"    {line}" for line in str(error).splitlines()]


def all_names():
    """The plans, and the other ways in which some of them run."""
    names = []
    for plan in sorted(PLANS.glob("*.jmx")):
        names += [plan.stem, *(f"{plan.stem}.{variant}" for variant in Marks(plan).variants)]
    return names


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--live", action="store_true")
    parser.add_argument("plans", nargs="*")
    options = parser.parse_args()
    names = options.plans or all_names()
    names = [name.rpartition("/")[2].removesuffix(".jmx") for name in names]
    missing = [name for name in names if name not in all_names()]
    if missing:
        sys.exit(f"no such plan: {', '.join(missing)}")
    allowed = Allowed()
    GOLDEN.mkdir(exist_ok=True)
    good = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda name: one(name, options, allowed), names))
        for name, is_good, lines in results:
            # What depends on time may go wrong once on a busy machine; alone it must not.
            if not is_good and not options.update:
                print(f"note: {name} was run twice: it differed beside others\n" + "\n".join(lines))
                name, is_good, lines = one(name, options, allowed)
            good += is_good
            print(f"{WORDS[is_good]}  {name}")
            if lines:
                print("\n".join(lines))
    print(f"{good} of {len(names)} plans {'recorded' if options.update else 'agree'}")
    return 0 if good == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
