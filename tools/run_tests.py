#!/usr/bin/env python3
"""Runs the test programs of the workspace: tools/run_tests.py [together|alone] [ARG…]

`cargo test` runs one test program after the other, and most of ours wait most of their time for
servers and clocks. Here several run at once, each with cargo's two threads (`together`); those that
measure what a machine can do (ALONE) run after them, one by one (`alone`); without a word, both. ARGs go
to every test program. What a program printed is shown whole when it has ended. A test that failed beside
others is run AGAIN times alone at the end: it has passed if it passes each time, and a line says that it
was run again. What else runs then is not seen here: where the variable STUMBLED names a file, `together`
notes such tests in it and leaves them to `alone`. Exit code: 0 all passed, 1 something failed, 2 it does not
build.

A runner of a process for each test, such as nextest, would start each test's servers again: ours share them.
"""

import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

# Test programs at once: they wait most of their time.
AT_ONCE = int(os.environ.get("TESTS_AT_ONCE", "6"))
# Longer than any test program needs; one that hangs is ended with all that it started.
LIMIT_S = 900
# How often what failed beside others has to pass alone.
AGAIN = 3
# What measures what the machine can do has it for itself.
# What computes in hundreds of threads, too: it takes the machine from all others.
# A study judges its trials by their noise.
ALONE = {"calibrate", "capacity", "honesty", "live_diagnosis", "stacks", "timing", "tune"}
# Of these, what leaves the machine idle for most of the time and tells itself when it was disturbed: at once.
IDLE = {"capacity", "live_diagnosis"}
# Begun first, longest first: what begins last and is long has the machine for itself in the end.
LONGEST = (
    ["serve", "workers", "program", "newcomer", "plimsoll_tune", "servers", "surfaces", "fleet", "link", "hops"]
    + ["rights", "exporters", "plimsoll_watch", "jvm_captures", "plimsoll_stats", "lab", "plimsoll_load", "hostile"]
    + ["plimsoll_elements", "fixtures", "boots", "wire_waits", "search", "scripts", "plimsoll_diagnose", "reports"]
    + ["process", "probe", "agent", "failures", "streams", "outputs", "counts", "plimsoll_plan", "settings"]
)
# Threads of those that mostly wait; the others have two, as many as cargo gives here.
THREADS = {
    "tune": 8,
    **dict.fromkeys(["workers", "capacity"], 6),
    **dict.fromkeys(["serve", "timing", "fleet", "link", "stacks"], 4),
    **dict.fromkeys(["live_diagnosis", "program", "newcomer"], 3),
}


class Program:
    """One test program that cargo has built."""

    def __init__(self, package: Path, path: str, name: str):
        self.package = package
        self.path = path
        self.name = name

    @property
    def title(self) -> str:
        return f"{self.package.name} {self.name}"

    def package_name(self) -> str:
        with open(self.package / "Cargo.toml", "rb") as manifest:
            return tomllib.load(manifest)["package"]["name"]

    def run(self, arguments: list[str]) -> tuple[int, str, float]:
        """Its exit code, what it printed, and the seconds that it took."""
        begin = time.monotonic()
        process = subprocess.Popen(
            ["bash", "-c", 'time "$@"', "bash", self.path, *arguments],
            cwd=self.package,
            env={
                **os.environ,
                "CARGO_MANIFEST_DIR": str(self.package),
                "CARGO_PKG_NAME": self.package_name(),
                "RUST_TEST_THREADS": str(THREADS.get(self.name, 2)),
                # With what it started and waited for.
                "TIMEFORMAT": "%U s of CPU time, %S s in the kernel",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
            errors="replace",
        )
        try:
            printed, _ = process.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            printed, _ = process.communicate()
            printed += f"\nerror: ended after {LIMIT_S} s\n"
        return process.returncode, printed, time.monotonic() - begin


def build() -> list[Program] | None:
    """Builds the test programs; none if that fails."""
    command = ["cargo", "test", "--locked", "--workspace", "--no-run"]
    command += ["--message-format=json-render-diagnostics"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        return None
    programs = []
    for line in done.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["profile"]["test"]:
            package = Path(message["manifest_path"]).parent
            programs.append(Program(package, message["executable"], message["target"]["name"]))
    return programs


def failed_tests(printed: str) -> list[str]:
    """The tests that failed, by what a test program printed."""
    return re.findall(r"^test (\S+)(?: - .*)? \.\.\. FAILED$", printed, re.MULTILINE)


def passes_alone(program: Program, test: str) -> bool:
    """Whether a test passes alone each time; shows what it printed where it does not."""
    for _ in range(AGAIN):
        code, printed, _ = program.run(["--exact", test])
        if code != 0:
            print(f"alone, {program.title} {test}:\n{printed}", flush=True)
            return False
    return True


def still_failed(program: Program, printed: str) -> tuple[list[str], int]:
    """What of a program's failures fails alone too, and how many tests passed alone instead."""
    failed = failed_tests(printed)
    if not failed:
        return [program.title], 0
    lasting = []
    for test in failed:
        if passes_alone(program, test):
            print(f"note: {program.title} {test}: failed beside others, passed {AGAIN} times alone")
        else:
            lasting.append(f"{program.title} {test}")
    return lasting, len(failed) - len(lasting)


def documentation() -> tuple[int, str, float]:
    """Runs the examples in the crates' documentation; as Program.run does."""
    begin = time.monotonic()
    command = ["cargo", "test", "--locked", "--workspace", "--doc", "--no-fail-fast"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    return done.returncode, done.stdout, time.monotonic() - begin


class Sum:
    """What passed and failed, by number and by name."""

    def __init__(self):
        self.counts = {"passed": 0, "failed": 0}
        self.failed: list[str] = []

    def show(self, title: str, printed: str, took_s: float) -> None:
        """Prints what a program printed, and counts its tests."""
        print(f"     Running {title} ({took_s:.1f} s)\n{printed}", flush=True)
        for kind in self.counts:
            told = re.findall(rf"^test result: .* (\d+) {kind};", printed, re.MULTILINE)
            self.counts[kind] += sum(map(int, told))

    def judge(self, program: Program, printed: str) -> None:
        """Runs alone what failed beside others."""
        lasting, passed = still_failed(program, printed)
        self.failed += lasting
        self.counts["passed"] += passed
        self.counts["failed"] -= passed


def order(program: Program) -> tuple[int, str]:
    place = LONGEST.index(program.name) if program.name in LONGEST else len(LONGEST)
    return place, program.title


def run_together(programs: list[Program], arguments: list[str], result: Sum) -> list[tuple[Program, str]]:
    """Runs what may run beside others; the programs that failed, with what they printed."""
    stumbled = []
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        examples = pool.submit(documentation)
        running = {pool.submit(program.run, arguments): program for program in sorted(programs, key=order)}
        for done in concurrent.futures.as_completed(running):
            program, (code, printed, took_s) = running[done], done.result()
            result.show(program.title, printed, took_s)
            if code != 0:
                stumbled.append((program, printed))
    code, printed, took_s = examples.result()
    result.show("documentation", printed, took_s)
    if code != 0:
        result.failed.append("documentation")
    return stumbled


def run_alone(programs: list[Program], arguments: list[str], result: Sum) -> None:
    """Runs what has the machine for itself, one by one but for what leaves it idle."""
    idle = [program for program in programs if program.name in IDLE]
    for group in [idle, *([program] for program in programs if program not in idle)]:
        with concurrent.futures.ThreadPoolExecutor(len(group) or 1) as pool:
            done = list(pool.map(lambda program: program.run(arguments), group))
        for program, (code, printed, took_s) in zip(group, done):
            result.show(program.title, printed, took_s)
            if code != 0:
                result.failed.append(program.title)


def main() -> int:
    arguments = sys.argv[1:]
    kinds = {"together", "alone"}
    if arguments and arguments[0] in kinds:
        kinds = {arguments.pop(0)}
    programs = build()
    if programs is None:
        return 2
    result = Sum()
    later = Path(os.environ["STUMBLED"]) if os.environ.get("STUMBLED") else None
    stumbled: list[tuple[Program, str]] = []
    if "together" in kinds:
        stumbled = run_together([it for it in programs if it.name not in ALONE], arguments, result)
        if later is not None and "alone" not in kinds:
            later.write_text(json.dumps({program.title: printed for program, printed in stumbled}))
            # They count where they are judged.
            result.counts["failed"] -= sum(len(failed_tests(printed)) for _, printed in stumbled)
            stumbled = []
    elif later is not None and later.exists():
        noted = json.loads(later.read_text())
        stumbled = [(program, noted[program.title]) for program in programs if program.title in noted]
        result.counts["failed"] += sum(len(failed_tests(printed)) for _, printed in stumbled)
    for program, printed in stumbled:
        result.judge(program, printed)
    if "alone" in kinds:
        run_alone([it for it in programs if it.name in ALONE], arguments, result)
    for title in result.failed:
        print(f"error: failed: {title}")
    print(f"sum: {result.counts['passed']} passed, {result.counts['failed']} failed")
    return 1 if result.failed else 0


if __name__ == "__main__":
    sys.exit(main())
