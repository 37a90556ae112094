#!/usr/bin/env python3
"""How many plans that nobody here made run: each is really run, against servers that stand in for its own.

usage: strangers.py FOLDER [--classes FILE] [--known FOLDER ...] [--json FILE] [--only TEXT] [--at-most N]     (as root)

FOLDER holds a folder for each repository. FILE has lines "REPOSITORY CLASS" (real, tutorial, plugins); others are
"real". Plans that are the same as another, or as one below a --known folder, by content or by structure (classes
and names of properties, without their values) are left out, but one. --at-most N takes N plans of a repository, by the
hash of their names, so that none outweighs the others.

A plan is runnable if JMeter could read it, it has an enabled thread group with an enabled sampler and a thread, and the files
of data that it names are there. It runs if
`plimsoll run` takes it and samples are made; what the stand-in's responses lead to does not matter. In a
network namespace of its own, which only root can make, all names and addresses lead to one server, which
responds with 200 to HTTP and HTTPS on any port and nothing leaves the machine. A plan is ended STRANGERS_SECONDS (6) after its first sample.
Exit code: 0 it was measured, 2 it could not be.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# How long a plan may go on without a sample.
LONGEST = 60
SECONDS = float(os.environ.get("STRANGERS_SECONDS", "6"))
AT_A_TIME = int(os.environ.get("STRANGERS_AT_A_TIME", "2"))
NOT_RUNNABLE = ("not runnable", "lacks a file", "nothing to run")
# All that is sent to any port of any address goes to the stand-in.
RULES = """
table inet strangers {
    chain output {
        type nat hook output priority -100;
        tcp dport != 53 redirect to :18080
        udp dport 53 redirect to :10053
    }
}
"""


def named(element):
    return element.get("testclass") or element.tag


def pairs(tree):
    """The elements of a hash tree, each with what stands below it."""
    children = list(tree)
    at = 0
    while at < len(children):
        below = children[at + 1] if at + 1 < len(children) and children[at + 1].tag == "hashTree" else None
        if children[at].tag != "hashTree":
            yield children[at], below
        at += 2 if below is not None else 1


def is_sampler(element):
    name = named(element).rsplit(".", 1)[-1]
    if name == "ParallelSampler":
        # The Parallel Controller, by its class's name: samplers are below it.
        return False
    known = ("Sampler", "SamplerProxy", "SampleR", "TestSample")
    return name.endswith(known) or "Sampler" in name or name in ("AccessLogSampler", "MongoScriptSampler")


def has_sampler(tree, in_group=False):
    """Whether an enabled sampler stands in an enabled thread group."""
    for element, below in pairs(tree):
        if element.get("enabled") == "false":
            continue
        group = in_group or "ThreadGroup" in named(element)
        if group and (is_sampler(element) or named(element) in ("IncludeController", "ModuleController")):
            return True
        if below is not None and has_sampler(below, group):
            return True
    return False


def runnable(data):
    """Nothing if JMeter could run it, else why not."""
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError as error:
        return f"no XML: {error}"
    if root.tag != "jmeterTestPlan":
        return f"no plan: <{root.tag}>"
    tree = root.find("hashTree")
    if tree is not None and all(named(child).rsplit(".", 1)[-1] != "TestPlan" for child in tree):
        # JMeter 5.6.3 without a window: "Could not find the TestPlan class!"
        return "no test plan at its top"
    if tree is None or not has_sampler(tree):
        return "no enabled sampler in an enabled thread group"
    return None


def structure(data):
    """What a plan is made of, without its values."""
    try:
        root = ElementTree.fromstring(data)
    except ElementTree.ParseError:
        return hashlib.sha256(data).hexdigest()
    seen = hashlib.sha256()
    for element in root.iter():
        # Words of assertions and the like are values.
        name = element.get("name", "") if not element.get("name", "").isdigit() else "#"
        seen.update(f"{named(element)}|{name}|{element.get('enabled', '')}\n".encode())
    return seen.hexdigest()


class Plans:
    def __init__(self, known):
        self.seen = {}
        for folder in known:
            for path in sorted(pathlib.Path(folder).rglob("*.jmx")):
                data = path.read_bytes()
                self.seen[hashlib.sha256(data).hexdigest()] = self.seen[structure(data)] = f"known: {path.name}"

    def is_new(self, path):
        data = path.read_bytes()
        keys = {hashlib.sha256(data).hexdigest(), structure(data)}
        before = keys & self.seen.keys()
        self.seen.update(dict.fromkeys(keys, str(path)))
        return not before


def lines_of(jtl):
    """Samples that a result file has."""
    return max(0, sum(1 for _ in jtl.open(errors="replace")) - 1) if jtl.is_file() else 0


def watched(process, jtl):
    """Waits until a run ends; ends it SECONDS after its first sample, or if there is none for LONGEST."""
    begun = time.monotonic()
    first = None
    while process.poll() is None:
        now = time.monotonic()
        if first is None and lines_of(jtl):
            first = now
        if now - (first or begun) > (SECONDS if first else LONGEST):
            # The second one cuts off what is in flight.
            for _ in range(2):
                process.send_signal(signal.SIGINT)
                try:
                    process.wait(30)
                    return "was ended"
                except subprocess.TimeoutExpired:
                    pass
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "did not end"
        time.sleep(0.1)
    return "by itself"


def run(plan, folder, program):
    """What came of a plan, begun in its folder, or else where its repository begins: people do both."""
    found = run_from(plan, plan.parent, program)
    top = folder / plan.relative_to(folder).parts[0]
    if found["outcome"] in ("lacks a file", "refused") and plan.parent != top:
        again = run_from(plan, top, program)
        return again if again["outcome"] in ("runs", *NOT_RUNNABLE) else found
    return found


def run_from(plan, begin, program):
    with tempfile.TemporaryDirectory() as made:
        # Plans write beside themselves.
        copy = pathlib.Path(made) / "plan"
        shutil.copytree(begin, copy, ignore=shutil.ignore_patterns(".git", "*.jar"), dirs_exist_ok=True, symlinks=True)
        named = str(plan.relative_to(begin))
        command = [program, "run", named, "--quiet", "--lang", "en", "--out", f"{made}/runs", "--jtl", f"{made}/all.jtl"]
        output = pathlib.Path(made) / "said"
        with output.open("w") as to:
            process = subprocess.Popen(command, cwd=copy, stdin=subprocess.DEVNULL, stdout=to, stderr=to, start_new_session=True)
        ended = watched(process, pathlib.Path(made) / "all.jtl")
        said = output.read_text(errors="replace")
        samples = lines_of(pathlib.Path(made) / "all.jtl")
        code = process.returncode
    lines = [line for line in said.splitlines() if line.strip()]
    if "panicked at" in said or code < 0 or ended == "did not end":
        outcome = "crash"
    elif samples:
        outcome = "runs"
    elif any(words in said for words in ("does not exist: paths start", "No such file or directory", "the included file")):
        # JMeter's threads end at it, too.
        outcome = "lacks a file"
    elif "nothing would be loaded" in said or "without a duration above 0" in said:
        # No group has a thread (a property is missing), or JMeter ends such a test at its start, too.
        outcome = "nothing to run"
    elif code == 2:
        outcome = "refused"
    else:
        outcome = "no samples"
    return {"outcome": outcome, "code": code, "samples": samples, "ended": ended, "said": lines[:40]}


def inside():
    """Makes the namespace's names and addresses lead to the stand-in, and starts it."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    # All addresses are this host's.
    subprocess.run(["ip", "route", "add", "local", "default", "dev", "lo"], check=True)
    subprocess.run(["nft", "-f", "-"], input=RULES, text=True, check=True)
    names = tempfile.NamedTemporaryFile("w", suffix=".conf", delete=False)
    names.write("nameserver 127.0.0.53\n")
    names.close()
    subprocess.run(["mount", "--bind", names.name, "/etc/resolv.conf"], check=True)
    server = subprocess.Popen([sys.executable, str(HERE / "stand_in_all.py")], stdout=subprocess.PIPE, text=True)
    if server.stdout.readline().strip() != "ready":
        raise RuntimeError("the stand-in did not start")
    return server, names.name


def interval(part, whole):
    """Wilson's interval of 95 % of a share, in percent."""
    if not whole:
        return "-"
    z = 1.96
    share = part / whole
    middle = share + z * z / (2 * whole)
    half = z * math.sqrt(share * (1 - share) / whole + z * z / (4 * whole * whole))
    low, high = ((middle + sign * half) / (1 + z * z / whole) for sign in (-1, 1))
    return f"{100 * low:.0f} to {100 * high:.0f} %"


def of_repositories(paths, folder, at_most):
    """The plans in order of their names; at most some of each repository."""
    by = collections.defaultdict(list)
    for path in sorted(paths):
        by[path.relative_to(folder).parts[0]].append(path)
    for ones in by.values():
        if at_most and len(ones) > at_most:
            ones = sorted(sorted(ones, key=lambda one: hashlib.sha256(str(one.relative_to(folder)).encode()).digest())[:at_most])
        yield from ones


def tell(rows, left_out):
    by_class = collections.defaultdict(collections.Counter)
    for row in rows:
        by_class[row["class"]][row["outcome"]] += 1
    print(f"\n{len(rows)} plans of {len({row['repository'] for row in rows})} repositories; {left_out} were known or the same")
    total = collections.Counter()
    for name, counts in sorted(by_class.items()) + [("all", None)]:
        counts = total if counts is None else counts
        runnable_ones = sum(count for outcome, count in counts.items() if outcome not in NOT_RUNNABLE)
        if name != "all":
            total.update(counts)
        share = 100 * counts["runs"] / runnable_ones if runnable_ones else 0
        rest = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common() if outcome != "runs")
        print(f"  {name}: {counts['runs']} of {runnable_ones} runnable plans run ({share:.1f} %, {interval(counts['runs'], runnable_ones)}); {rest}")
    print("\nWhat is left:")
    for row in rows:
        if row["outcome"] not in ("runs", *NOT_RUNNABLE):
            print(f"  {row['class']} {row['plan']}: {row['outcome']} ({row['code']}): " + " / ".join(row["said"][:4])[:400])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--classes", type=pathlib.Path)
    options.add_argument("--known", action="append", default=[str(HERE / "plans")])
    options.add_argument("--json", type=pathlib.Path)
    options.add_argument("--only", default="")
    options.add_argument("--at-most", type=int, default=0)
    given = options.parse_args()
    program = str(pathlib.Path(os.environ.get("PLIMSOLL", ROOT / "target/release/plimsoll")).resolve())
    if os.geteuid() != 0 or not pathlib.Path(program).is_file():
        sys.exit("root and a built plimsoll are needed (PLIMSOLL names another)")
    if os.environ.get("STRANGERS_INSIDE") is None:
        os.environ["STRANGERS_INSIDE"] = "1"
        os.execvp("unshare", ["unshare", "-n", "-m", sys.executable, __file__, *sys.argv[1:]])
    classes = {}
    if given.classes:
        classes = dict(line.split()[:2] for line in given.classes.read_text().splitlines() if line.strip())
    plans, rows, left_out, work = Plans(given.known), [], 0, []
    for path in of_repositories(given.folder.rglob("*.jmx"), given.folder, given.at_most):
        inner = path.relative_to(given.folder)
        if not path.is_file() or given.only not in str(inner):
            continue
        if not plans.is_new(path):
            left_out += 1
            continue
        row = {"plan": str(inner), "repository": inner.parts[0], "class": classes.get(inner.parts[0], "real")}
        why_not = runnable(path.read_bytes())
        rows.append(row)
        if why_not:
            row |= {"outcome": "not runnable", "code": 0, "said": [why_not]}
        else:
            work.append((row, path))
    server, names = inside()
    try:
        with concurrent.futures.ThreadPoolExecutor(AT_A_TIME) as pool:
            for row, found in zip([row for row, _ in work], pool.map(lambda one: run(one[1], given.folder, program), work)):
                row |= found
                print(f"{row['outcome']:10} {row['samples']:6} {row['plan']}", flush=True)
    finally:
        server.terminate()
        server.wait()
        subprocess.run(["umount", "/etc/resolv.conf"], check=False)
        os.unlink(names)
    tell(rows, left_out)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
