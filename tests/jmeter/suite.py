#!/usr/bin/env python3
"""Runs plans of JMeter's own batch suite and compares what they write with what JMeter
expects of itself.

usage: suite.py FOLDER [PLAN ...]        (as root: it makes a network namespace of its own)

A plan passes when its CSV and XML files equal the expected ones, byte for byte once line ends
are LF, and nothing went wrong while it ran. In the namespace fixed ports are free and public
host names meet stand_in.py; nothing reaches any other machine.
"""
import difflib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PUBLIC_HOSTS = ["httpbin.org", "jmeter.apache.org", "www.apache.org", "www.example.org"]
# The property that names a plan's files after the HTTP implementation they are for.
IMPLEMENTATION = "HttpClient4"
LONGEST_RUN_S = 180
# What JMeter's own build passes for one plan (its src/dist-check/build.gradle.kts).
OPTIONS = {"Bug54685": ["-Jsample_variables=REFERENCE,JSESSIONID"]}
# JMeter runs its suite in its folder bin, where a file of this name is; plans upload it.
USER_PROPERTIES = "# Sample user.properties file\n\n#---- no properties are set here\n"


def binary():
    named = os.environ.get("PLIMSOLL")
    found = pathlib.Path(named) if named else ROOT / "target/release/plimsoll"
    if not found.is_file():
        sys.exit(f"{found} is not there: run `make build` first, or name another in PLIMSOLL")
    return found.resolve()


class Namespace:
    """A network namespace with a loopback device and host names of its own."""

    def __init__(self):
        self.name = f"plimsoll-suite-{os.getpid()}"
        self.files = pathlib.Path("/etc/netns") / self.name
        self.servers = []

    def __enter__(self):
        run = lambda *argv: subprocess.run(argv, check=True)
        self.files.mkdir(parents=True)
        names = "".join(f"127.0.0.2 {host}\n" for host in PUBLIC_HOSTS)
        (self.files / "hosts").write_text(f"127.0.0.1 localhost\n{names}")
        (self.files / "resolv.conf").write_text("nameserver 127.0.0.1\n")
        run("ip", "netns", "add", self.name)
        run("ip", "netns", "exec", self.name, "ip", "link", "set", "lo", "up")
        server = subprocess.Popen(self.inside([sys.executable, str(HERE / "stand_in.py")]),
                                  stdout=subprocess.PIPE, text=True)
        self.servers.append(server)
        if server.stdout.readline().strip() != "ready":
            raise RuntimeError("the stand-in server did not start")
        return self

    def inside(self, argv):
        return ["ip", "netns", "exec", self.name, *argv]

    def __exit__(self, *_):
        for server in self.servers:
            server.terminate()
            server.wait()
        subprocess.run(["ip", "netns", "del", self.name], check=False)
        shutil.rmtree(self.files, ignore_errors=True)


def text_of(path):
    return path.read_bytes().decode("utf-8", "replace").replace("\r\n", "\n")


def expected_files(folder, plan):
    """The files a plan is expected to write: name as written -> expected text."""
    names = [f"{plan}.csv", f"{plan}.xml",
             f"{plan}_{IMPLEMENTATION}.csv", f"{plan}_{IMPLEMENTATION}.xml"]
    return {name: text_of(folder / name) for name in names if (folder / name).is_file()}


def rows_that_agree(expected, got):
    expected, got = expected.splitlines(), got.splitlines()
    matcher = difflib.SequenceMatcher(None, expected, got, autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()), len(expected)


def checked_out(folder, copy):
    """Copies the suite's data with the line ends that JMeter's .gitattributes give them: plans
    expect sizes in bytes."""
    shutil.copytree(folder, copy)
    for attributes in copy.rglob(".gitattributes"):
        for line in attributes.read_text().splitlines():
            pattern, *settings = line.split() or [""]
            if "eol=crlf" not in settings:
                continue
            for path in attributes.parent.glob(pattern):
                data = path.read_bytes().replace(b"\r\n", b"\n")
                path.write_bytes(data.replace(b"\n", b"\r\n"))
    return copy


def run_plan(namespace, plimsoll, folder, plan, work):
    """Runs one plan in a working folder; gives its output and exit code."""
    (work / "bin").mkdir(parents=True)
    for link in (work / "testfiles", work / "bin/testfiles"):
        link.symlink_to(folder)
    (work / "user.properties").write_text(USER_PROPERTIES)
    argv = [str(plimsoll), "run", str(folder / f"{plan}.jmx"), "--lang", "en", "--quiet",
            "-q", str(folder / "jmeter-batch.properties"),
            f"-Jjmeter.httpsampler={IMPLEMENTATION}", f"-JCSVFILE={plan}.csv",
            "--summary-json", "summary.json", *OPTIONS.get(plan, [])]
    try:
        done = subprocess.run(namespace.inside(argv), cwd=work, capture_output=True, text=True,
                              timeout=LONGEST_RUN_S)
    except subprocess.TimeoutExpired as late:
        return f"still running after {LONGEST_RUN_S} s\n{late.stderr or ''}", None
    return done.stdout + done.stderr, done.returncode


def without_expected_files(work, plan):
    """A plan for which JMeter expects no files passes when every sample succeeded."""
    errors = work / f"{plan}.err"
    summary = work / "summary.json"
    if not summary.is_file():
        return 0, 1, ["no summary was written"]
    total = json.loads(summary.read_text())["total"]
    failed = total["errors"]
    notes = [text_of(errors)] if failed and errors.is_file() else []
    return total["samples"] - failed, total["samples"], notes


def judge(folder, plan, work):
    """Rows that agree, rows expected, and what differs."""
    expected = expected_files(folder, plan)
    if not expected:
        return without_expected_files(work, plan)
    agree = rows = 0
    notes = []
    for name, text in expected.items():
        written = work / name
        got = text_of(written) if written.is_file() else ""
        same, of = rows_that_agree(text, got)
        agree, rows = agree + same, rows + of
        if got != text:
            diff = difflib.unified_diff(text.splitlines(), got.splitlines(),
                                        f"expected/{name}", f"got/{name}", lineterm="", n=1)
            notes.extend(list(diff)[:40])
    return agree, rows, notes


def main():
    if len(sys.argv) < 2:
        sys.exit("No suite was named. `make jmeter-suite SUITE=FOLDER` takes a folder with plans "
                 "of JMeter's batch suite and the files it expects of them; this project does "
                 "not carry them (they are in JMeter's source release, bin/testfiles).")
    folder = pathlib.Path(sys.argv[1]).resolve()
    if os.geteuid() != 0:
        sys.exit("A network namespace can only be made by root: run this with sudo.")
    included = {"Bug50898_inc"}
    plans = sys.argv[2:] or sorted(p.stem for p in folder.glob("*.jmx") if p.stem not in included)
    if not plans:
        sys.exit(f"{folder} holds no .jmx plan")
    plimsoll = binary()
    failed = []
    with Namespace() as namespace, tempfile.TemporaryDirectory() as scratch:
        data = checked_out(folder, pathlib.Path(scratch) / "testfiles")
        for plan in plans:
            work = pathlib.Path(scratch) / plan
            work.mkdir()
            output, code = run_plan(namespace, plimsoll, data, plan, work)
            agree, rows, notes = judge(folder, plan, work)
            complaint = "error:" in output or code in (None, 2, 3, 101)
            passed = agree == rows and not notes and not complaint
            print(f"{plan:28} {agree:4} of {rows:4} rows  {'pass' if passed else 'FAIL'}", flush=True)
            if not passed:
                failed.append(plan)
                shown = notes + (output.splitlines()[:30] if complaint or not notes else [])
                print("".join(f"    {line}\n" for line in shown), end="", flush=True)
    print(f"{len(plans) - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
