"""Wall time of one request, and what is reported of a server that freezes."""

import shutil
import subprocess
import time
from pathlib import Path

from . import clients, parse, proc, stats
from .clients import Job
from .context import SUBJECT, Context, RunFailed
from .table import FAILS, HOLDS, NO_TARGET, Row, judge

ONE = "One request, wall time"
ONE_ROUNDS = 15
ONE_LIMIT_MS = 20

FREEZE = "A server that freezes 1 s in every 10 s; 1,000/s for 30 s"
DELAY_US, FREEZE_MS, PERIOD_MS = 1000, 1000, 10_000
RATE, SECONDS, USERS = 1000, 30, 1200
TRUTH_MS = {50.0: 1.0, 99.0: 900.0, 99.9: 990.0, 100.0: 1000.0}
NAMES = {50.0: "p50", 99.0: "p99", 99.9: "p99.9", 100.0: "max"}
P50_WITHIN_MS = 0.3
TAIL_WITHIN = 0.02


def one_request(ctx: Context) -> None:
    """Start, one request, report, end."""
    walls: dict[str, list[float]] = {SUBJECT: [], "oha": [], "k6": [], "JMeter": []}
    why: dict[str, str] = {n: ctx.why_absent(n) for n in walls if not ctx.has(n)}
    job = Job(ctx.nginx.url, connections=1, requests=1)
    for index in range(ONE_ROUNDS):
        names = list(walls) if index % 2 == 0 else list(reversed(walls))
        for name in names:
            # JMeter takes seconds: a few runs tell enough.
            if name in why or (name == "JMeter" and index >= 3):
                continue
            try:
                measured = ctx.run(name, job)
                walls[name].append(measured.wall_s * 1e3)
                ctx.forget(measured)
            except RunFailed as error:
                why[name] = "failed"
                ctx.table.remark(f"{ONE}: {error}")
    for name, values in walls.items():
        spread = stats.Spread.of(values) if values else None
        value = f"{spread.median:.1f} ms" if spread else why.get(name, "failed")
        ctx.note(f"one request: {name} {value}")
        row = {"spread": spread.text(1) + f"; {spread.count} runs" if spread else NO_TARGET}
        if name == SUBJECT:
            verdict = FAILS if why.get(name) == "failed" else judge(
                spread.median if spread else None, ONE_LIMIT_MS)
            ctx.table.add(Row(ONE, "median of the runs", value, target=f"< {ONE_LIMIT_MS} ms",
                              verdict=verdict, **row))
        else:
            ctx.table.add(Row(ONE, "median of the runs", beside=name, its_value=value, **row))


def judge_freeze(seen: parse.Percentiles) -> dict[float, str]:
    """The verdict for each percentile against the truth."""
    verdicts = {}
    for percentile, truth in TRUTH_MS.items():
        value = seen.get(percentile)
        if value is None:
            verdicts[percentile] = FAILS
        elif percentile == 50.0:
            verdicts[percentile] = HOLDS if abs(value - truth) <= P50_WITHIN_MS else FAILS
        else:
            close = stats.relative_error(value, truth) <= TAIL_WITHIN
            verdicts[percentile] = HOLDS if close else FAILS
    return verdicts


def percentiles_text(seen: parse.Percentiles) -> str:
    """`p50 1.06, p99 899.1, … ms`; what a tool does not report is left out."""
    known = [f"{name} {seen[p]:.{2 if seen[p] < 10 else 0}f}"
             for p, name in NAMES.items() if p in seen]
    return ", ".join(known) + " ms" if known else "nothing"


def _compile(ctx: Context) -> Path | None:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        return None
    program = ctx.directory / "freeze"
    if not program.exists():
        subprocess.run([compiler, "-O2", "-o", program, clients.BENCH / "server" / "freeze.c"],
                       check=True)
    return program


def _against_freezing_server(ctx: Context, program: Path, name: str, connections: int,
                             extra: list[str]) -> parse.Percentiles:
    """One run against a server of its own."""
    server = proc.Running("freeze", [str(program), str(DELAY_US), str(FREEZE_MS),
                                     str(PERIOD_MS)], ctx.server_core)
    try:
        deadline = time.monotonic() + 10
        while not (port := server.stdout_so_far().strip()):
            if server.ended_within(0.02) or time.monotonic() > deadline:
                raise RunFailed(server.wait(0).complaint())
        job = Job(f"http://127.0.0.1:{port}/", connections=connections, duration_s=SECONDS,
                  rate=None if name == "wrk" else RATE)
        running, directory = ctx.start(name, job, extra)
        finished = running.wait(SECONDS + 60)
    finally:
        server.signal(15)
        server.wait(10)
    # plimsoll's 4 says that it felt limited; its numbers are judged all the same.
    if finished.exit_code not in ((0, 4) if name == SUBJECT else (0,)):
        raise RunFailed(finished.complaint())
    return _report(name, finished, directory)


def _report(name: str, finished: proc.Finished, directory: Path) -> parse.Percentiles:
    if name == SUBJECT:
        return parse.plimsoll((directory / "summary.json").read_text())
    if name == "wrk":
        return parse.wrk(finished.stdout)
    if name == "oha":
        return parse.oha(finished.stdout)
    if name == "k6":
        return parse.k6((directory / "k6.json").read_text())
    texts = []
    for kind in ("json", "hdrplot"):
        done = subprocess.run([clients.binary("vegeta"), "report", f"-type={kind}",
                               directory / "vegeta.bin"], capture_output=True, text=True,
                              check=False)
        texts.append(done.stdout)
    return parse.vegeta(*texts)


def freeze(ctx: Context) -> None:
    """What each tool says of the same freezing server."""
    program = _compile(ctx)
    if program is None:
        ctx.table.add(Row(FREEZE, "no C compiler for the server", verdict="not measured"))
        return
    in_flight = ["--max-in-flight", str(USERS)]
    lua = ["-s", str(clients.BENCH / "wrk" / "percentiles.lua")]
    runs = [
        (SUBJECT, "response time", USERS, in_flight),
        ("wrk", "64 connections, as fast as it can", 64, lua),
        ("oha", "-q 1000 -c 64", 64, []),
        ("oha", "the same with --latency-correction", 64, ["--latency-correction"]),
        ("vegeta", "-rate 1000", 64, []),
        ("k6", "constant arrival rate, 64 users", 64, []),
    ]
    truth = percentiles_text(TRUTH_MS)
    for name, what, connections, extra in runs:
        seen, problem = {}, ""
        if not ctx.has(name):
            problem = ctx.why_absent(name)
        else:
            try:
                seen = _against_freezing_server(ctx, program, name, connections, extra)
            except (RunFailed, OSError, ValueError, KeyError) as error:
                problem = "failed"
                ctx.table.remark(f"{FREEZE}: {name}: {error}")
        text = percentiles_text(seen) if seen else problem
        ctx.note(f"freeze: {name} ({what}): {text}")
        if name != SUBJECT:
            ctx.table.add(Row(FREEZE, what, beside=name, its_value=text))
            continue
        verdicts = judge_freeze(seen) if problem != "not built" else {}
        verdict = "not measured" if not verdicts else (
            HOLDS if set(verdicts.values()) == {HOLDS} else
            FAILS + ": " + ", ".join(NAMES[p] for p, v in verdicts.items() if v == FAILS))
        ctx.table.add(Row(FREEZE, what, text, target=f"{truth}; tail ± 2 %, p50 ± 0.3 ms",
                          verdict=verdict))
