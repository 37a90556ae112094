"""CPU for a request: plain GET, a fixed rate, HTTPS."""

import time

from . import parse
from .clients import Job
from .context import SUBJECT, Context, Pairs, RunFailed

RUN_S = 2
GET = "GET over keep-alive, 64 connections"
RATE = "5,000/s over 64 connections"
HTTPS = "HTTPS over keep-alive, 64 connections"
CPU_UNIT = "µs/request"

# The second half of a JVM's run is taken as warm.
JVM_WARM_UP_S = 10
JVM_WINDOW_S = 8


def _cpu(measured) -> float:
    return measured.cpu_us_per_request


def fewer(pairs: int) -> int:
    """Rounds for a peer that is not the yardstick."""
    return max(1, pairs // 3)


def get(ctx: Context) -> None:
    """Plain GET as fast as one core can, against every peer."""
    job = Job(ctx.nginx.url, duration_s=RUN_S)
    wrk = ctx.pairs_with("wrk", job, ctx.pairs, _cpu)
    ctx.table.add_ratio(GET, "CPU", wrk, CPU_UNIT, 1.05)
    k6 = ctx.pairs_with("k6", job, fewer(ctx.pairs), _cpu)
    ctx.table.add_ratio(GET, "CPU", k6, CPU_UNIT, 1 / 7, "≤ 1/7")
    warm = _warm_jvm(ctx, "JMeter")
    ctx.table.add_ratio(GET, "CPU, JVM warm", warm, CPU_UNIT, 1 / 9, "≤ 1/9")
    ctx.table.add_ratio(GET, "CPU, JVM warm", _warm_jvm(ctx, "Gatling"), CPU_UNIT)
    for peer in ("oha", "h2load", "ab", "vegeta"):
        pairs = ctx.pairs_with(peer, job, fewer(ctx.pairs), _cpu)
        ctx.table.add_ratio(GET, "CPU", pairs, CPU_UNIT)


def _warm_jvm(ctx: Context, peer: str) -> Pairs:
    """One long run of a JVM peer between two short ones of plimsoll.

    Only its last seconds count: start-up and most of the compiler's work, which
    would say more about the length of the run than about the tool, are left out.
    """
    result = Pairs(peer)
    for name in (SUBJECT, peer):
        if not ctx.has(name):
            result.problem[name] = ctx.why_absent(name)
    short = Job(ctx.nginx.url, duration_s=RUN_S)
    steps = [(SUBJECT, lambda: _cpu(ctx.run(SUBJECT, short))),
             (peer, lambda: _warm_window_us(ctx, peer)),
             (SUBJECT, lambda: _cpu(ctx.run(SUBJECT, short)))]
    seen: dict[str, list[float]] = {SUBJECT: [], peer: []}
    for name, step in steps:
        if name in result.problem:
            continue
        try:
            seen[name].append(step())
        except (RunFailed, OSError) as error:
            result.problem[name] = str(error)
    result.add({name: sum(values) / len(values) for name, values in seen.items() if values})
    ctx.note(result.progress())
    return result


def _warm_window_us(ctx: Context, peer: str) -> float:
    seconds = JVM_WARM_UP_S + JVM_WINDOW_S + 4
    before = ctx.nginx.requests()
    running, _ = ctx.start(peer, Job(ctx.nginx.url, duration_s=seconds))
    cpu_s, requests = 0.0, 0
    # The clock starts with the first requests, not with the JVM. Each look at the
    # counter counts itself, hence well over the 64 that the users send at once.
    deadline = time.monotonic() + 30
    while ctx.nginx.requests_since(before) < 1000 and time.monotonic() < deadline:
        if running.ended_within(0.2):
            break
    if not running.ended_within(JVM_WARM_UP_S):
        requests_then, cpu_then = ctx.nginx.requests(), running.cpu_s()
        if not running.ended_within(JVM_WINDOW_S):
            cpu_s = running.cpu_s() - cpu_then
            requests = ctx.nginx.requests_since(requests_then)
    finished = running.wait(seconds + 60)
    if finished.exit_code != 0 or requests <= 0:
        raise RunFailed(finished.complaint())
    return cpu_s * 1e6 / requests


def rate(ctx: Context) -> None:
    """A constant 5,000/s: CPU against h2load, median latency against oha."""
    job = Job(ctx.nginx.url, duration_s=RUN_S, rate=5000)

    def at_rate(measured):
        wanted = job.rate * job.duration_s
        if abs(measured.requests - wanted) > 0.02 * wanted:
            ctx.table.remark(f"{RATE}: {measured.finished.name} sent {measured.requests} "
                             f"requests where {wanted:.0f} were asked for")
        return _cpu(measured)

    h2load = ctx.pairs_with("h2load", job, ctx.pairs, at_rate)
    ctx.table.add_ratio(RATE, "CPU", h2load, CPU_UNIT, 1.25)

    def p50(kind):
        def read(measured):
            if measured.finished.name == SUBJECT:
                return parse.plimsoll(measured.summary, kind)[50.0]
            return parse.oha(measured.finished.stdout)[50.0]
        return read

    response = ctx.pairs_with("oha", job, ctx.pairs, p50("response_time_ms"))
    ctx.table.add_ratio(RATE, "p50, from the intended start (oha's: from the send)",
                        response, "ms", 1.0, digits=3)
    service = ctx.pairs_with("oha", job, fewer(ctx.pairs), p50("service_time_ms"))
    ctx.table.add_ratio(RATE, "p50, from the actual start", service, "ms", digits=3)
    cpu = ctx.pairs_with("oha", job, fewer(ctx.pairs), at_rate)
    ctx.table.add_ratio(RATE, "CPU", cpu, CPU_UNIT)


def https(ctx: Context) -> None:
    """GET over TLS as fast as one core can."""
    job = Job(ctx.nginx.https_url, duration_s=RUN_S)
    wrk = ctx.pairs_with("wrk", job, ctx.pairs, _cpu)
    ctx.table.add_ratio(HTTPS, "CPU", wrk, CPU_UNIT, 1.1)
    for peer in ("h2load", "oha"):
        pairs = ctx.pairs_with(peer, job, fewer(ctx.pairs), _cpu)
        ctx.table.add_ratio(HTTPS, "CPU", pairs, CPU_UNIT)
