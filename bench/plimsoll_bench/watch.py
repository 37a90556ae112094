"""What watching costs: the target's throughput with it and without it, and the agent's CPU.

The agent runs on the server's core, as it would on a target's host, beside a server that
needs the whole core: what the agent takes is missing there.
"""

import json
import re
import time

from . import clients, proc, stats
from .clients import Job
from .context import SUBJECT, Context, Measured, Pairs, RunFailed
from .table import NO_TARGET, Row, judge

SECTION = "Watching: nginx on one core, the agent beside it, 64 connections"
UNWATCHED = "without watching"
RUN_S = 8
MOST_LOST = 0.02
MOST_CPU = 0.01
READY_S = 20


def watch(ctx: Context) -> None:
    """Throughput with the agent watching and without an agent; the agent's CPU."""
    if not ctx.has(SUBJECT):
        ctx.table.add(Row(SECTION, "throughput", "not built", verdict="not measured"))
        return
    job = Job(ctx.nginx.url, duration_s=RUN_S)
    pairs, shares = Pairs(UNWATCHED), []
    for index in range(ctx.pairs):
        values: dict[str, float] = {}
        for name in stats.order(index, SUBJECT, UNWATCHED):
            try:
                if name == SUBJECT:
                    values[name], share = _watched(ctx, job)
                    shares.append(share)
                else:
                    values[name] = _throughput(ctx, ctx.run(SUBJECT, job))
            except (RunFailed, OSError, ValueError, KeyError) as error:
                pairs.problem[name] = f"{name}: {error}"
        pairs.add(values)
    ctx.note(pairs.progress("throughput"))
    _add_throughput(ctx, pairs)
    _add_cpu(ctx, "CPU of the agent under load, share of a core", shares)


def _throughput(ctx: Context, measured: Measured) -> float:
    value = json.loads(measured.summary)["total"]["throughput_per_s"]
    ctx.forget(measured)
    return value


def _watched(ctx: Context, job: Job) -> tuple[float, float]:
    """(requests/s, the agent's share of a core) of a run that an agent watches."""
    with Agent(ctx) as agent:
        sources = [f"--watch=agent={agent.address}"]
        before, began = agent.cpu_s(), time.monotonic()
        throughput = _throughput(ctx, ctx.run(SUBJECT, job, sources))
        share = (agent.cpu_s() - before) / (time.monotonic() - began)
    return throughput, share


class Agent:
    """A running agent on the server's core: host, nginx and its process."""

    def __init__(self, ctx: Context):
        status = f"nginx=http://127.0.0.1:{ctx.nginx.status}/"
        argv = [str(clients.subject_binary()), "agent", "--listen", "127.0.0.1:0",
                "--watch", "host", "--watch", f"process={ctx.nginx.http}", "--watch", status]
        self._running = proc.Running("agent", argv, ctx.server_core, env={"LANG": "C"})
        self.address = ""

    def __enter__(self) -> "Agent":
        deadline = time.monotonic() + READY_S
        while not self.address:
            found = re.search(r"127\.0\.0\.1:\d+", self._running.stdout_so_far())
            if found:
                self.address = found.group()
            elif time.monotonic() > deadline or self._running.ended_within(0.02):
                raise RunFailed(f"the agent did not start: {self._running.stdout_so_far()[-200:]}")
        return self

    def __exit__(self, *_) -> None:
        self._running.signal(15)
        self._running.wait(10)

    def cpu_s(self) -> float:
        """CPU time so far."""
        return self._running.cpu_s()


def _add_throughput(ctx: Context, pairs: Pairs) -> None:
    ratio = pairs.ratio()
    lost = None if ratio is None else 1 - ratio.median
    for why in pairs.problem.values():
        ctx.table.remark(why)
    ctx.table.add(Row(
        SECTION, "throughput, watched every second",
        plimsoll=f"{stats.median(pairs.subject_values):.0f}/s" if pairs.subject_values else "failed",
        beside=UNWATCHED,
        its_value=f"{stats.median(pairs.peer_values):.0f}/s" if pairs.peer_values else "failed",
        ratio=f"{ratio.median:.3f}" if ratio else NO_TARGET,
        spread=f"{ratio.text(3)}; {ratio.count} pairs" if ratio else NO_TARGET,
        target=f"≥ {1 - MOST_LOST:g}", verdict=judge(lost, MOST_LOST)))


def _add_cpu(ctx: Context, what: str, shares: list[float]) -> None:
    spread = stats.Spread.of(shares) if shares else None
    ctx.table.add(Row(
        SECTION, what, plimsoll=f"{spread.median * 100:.2f} %" if spread else "failed",
        spread=f"{spread.text(4)}; {spread.count} runs" if spread else NO_TARGET,
        target=f"< {MOST_CPU * 100:g} %",
        verdict=judge(spread.median if spread else None, MOST_CPU)))
