"""Requests the client says it wrote against requests the server counted: exactly."""

import signal

from . import parse
from .clients import Job
from .context import SUBJECT, Context
from .table import FAILS, HOLDS, Row

SECTION = "Requests counted"
RUNS = 3
INTERRUPTED = 130


def count(ctx: Context) -> None:
    """To the end of a run, at a fixed rate, and after Ctrl-C in its middle."""
    cases = [
        ("64 connections, to the end", Job(ctx.nginx.url, duration_s=2), None),
        ("5,000/s, to the end", Job(ctx.nginx.url, duration_s=2, rate=5000), None),
        ("64 connections, Ctrl-C after 1 s", Job(ctx.nginx.url, duration_s=30), 1.0),
        ("5,000/s, Ctrl-C after 1 s", Job(ctx.nginx.url, duration_s=30, rate=5000), 1.0),
        ("HTTPS, 64 connections, Ctrl-C after 1 s", Job(ctx.nginx.https_url, duration_s=30), 1.0),
    ]
    for what, job, interrupt_after_s in cases:
        ctx.table.add(_case(ctx, what, job, interrupt_after_s))


def _case(ctx: Context, what: str, job: Job, interrupt_after_s: float | None) -> Row:
    target = "equal"
    if not ctx.has(SUBJECT):
        return Row(SECTION, what, "not built", beside="nginx", target=target,
                   verdict="not measured")
    said, counted, problems = [], [], []
    for _ in range(RUNS):
        before = ctx.nginx.requests()
        running, directory = ctx.start(SUBJECT, job)
        if interrupt_after_s is not None and not running.ended_within(interrupt_after_s):
            running.signal(signal.SIGINT)
        finished = running.wait(job.duration_s + 60)
        counted.append(ctx.nginx.requests_since(before))
        expected = (INTERRUPTED,) if interrupt_after_s is not None else (0, 4)
        if finished.exit_code not in expected:
            problems.append(f"exit code {finished.exit_code}")
        try:
            said.append(parse.plimsoll_requests((directory / "summary.json").read_text()))
        except (OSError, ValueError, KeyError) as error:
            problems.append(f"summary: {error}")
    if problems:
        ctx.table.remark(f"{SECTION}: {what}: " + "; ".join(sorted(set(problems))))
    holds = said == counted and not problems and all(counted)
    ctx.note(f"count: {what}: {said} of {counted}")
    return Row(SECTION, what, ", ".join(f"{n:,}" for n in said) or "failed", beside="nginx",
               its_value=", ".join(f"{n:,}" for n in counted),
               ratio=", ".join(f"{s - c:+d}" for s, c in zip(said, counted)),
               spread=f"{RUNS} runs", target=target, verdict=HOLDS if holds else FAILS)
