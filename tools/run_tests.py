#!/usr/bin/env python3
"""Runs the test programs of the workspace: tools/run_tests.py [together|alone] [ARG…]

`cargo test` runs one test program after the other, and most of ours wait most of their time for
servers and clocks. Here several run at once, each with cargo's two threads (`together`); those that
measure what a machine can do (ALONE) run after them, one by one (`alone`); without a word, both. ARGs go
to every test program. What a program printed is shown whole when it has ended. Exit code: 0 all passed,
1 something failed, 2 it does not build.

A runner of a process for each test, such as nextest, would start each test's servers again: ours share them.
"""

import concurrent.futures
import json
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

# Test programs at once: they wait most of their time.
AT_ONCE = int(os.environ.get("TESTS_AT_ONCE", "5"))
# Longer than any test program needs; one that hangs is ended with all that it started.
LIMIT_S = 900
# What measures what the machine can do has it for itself.
ALONE = {"calibrate", "capacity", "honesty", "live_diagnosis", "timing"}
# Begun first, since they take longest, and with this many threads, since they nearly only wait.
WAITING = {"workers": 6, "capacity": 4, "timing": 4, "fleet": 4, "link": 4, "hops": 2, "jvm_captures": 2, "lab": 2}


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
            [self.path, *arguments],
            cwd=self.package,
            env={
                **os.environ,
                "CARGO_MANIFEST_DIR": str(self.package),
                "CARGO_PKG_NAME": self.package_name(),
                "RUST_TEST_THREADS": str(WAITING.get(self.name, 2)),
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


def order(program: Program) -> tuple[int, str]:
    place = list(WAITING).index(program.name) if program.name in WAITING else len(WAITING)
    return place, program.title


def main() -> int:
    arguments = sys.argv[1:]
    kinds = {"together", "alone"}
    if arguments and arguments[0] in kinds:
        kinds = {arguments.pop(0)}
    programs = build()
    if programs is None:
        return 2
    failed = []

    def show(program: Program, result: tuple[int, str, float]) -> None:
        code, printed, took_s = result
        print(f"     Running {program.title} ({took_s:.1f} s)\n{printed}", flush=True)
        if code != 0:
            failed.append(program.title)

    if "together" in kinds:
        together = sorted((p for p in programs if p.name not in ALONE), key=order)
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            running = {pool.submit(program.run, arguments): program for program in together}
            for done in concurrent.futures.as_completed(running):
                show(running[done], done.result())
        documentation = ["cargo", "test", "--locked", "--workspace", "--doc", "--no-fail-fast"]
        if subprocess.run(documentation).returncode != 0:
            failed.append("documentation")
    if "alone" in kinds:
        for program in programs:
            if program.name in ALONE:
                show(program, program.run(arguments))
    for title in failed:
        print(f"error: failed: {title}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
