"""CPU for a request: plain GET, a fixed rate, HTTPS, large bodies."""

import dataclasses
import time

from . import parse
from .clients import Job
from .context import SUBJECT, Context, Measured, RunFailed

RUN_S = 2
GET = "GET over keep-alive, 64 connections"
RATE = "5,000/s over 64 connections"
HTTPS = "HTTPS over keep-alive, 64 connections"
LARGE = "GET of 100 KB over keep-alive, 64 connections"
LARGE_HTTPS = "HTTPS GET of 100 KB over keep-alive, 64 connections"
CPU_UNIT = "µs/request"

# A client that misses the rate by more than this does another job: its run is void.
RATE_WITHIN = 0.02

# A JVM counts as warm after so many seconds of load; then it is measured. On its one
# core JMeter's cost was still falling after 10 s of load, and no more after 15 s.
JVM_WARM_UP_S = 20
JVM_WINDOW_S = 8
JVM_COLD_S = 10


def cpu_us(measured: Measured) -> float:
    return measured.cpu_us_per_request


def fewer(pairs: int) -> int:
    """Rounds for a peer that is not the yardstick."""
    return max(1, pairs // 3)


def get(ctx: Context) -> None:
    """Plain GET as fast as one core can, against every peer."""
    job = Job(ctx.nginx.url, duration_s=RUN_S)
    wrk = ctx.pairs_with("wrk", job, ctx.pairs, cpu_us)
    ctx.table.add_ratio(GET, "CPU", wrk, CPU_UNIT, 1.05)
    k6 = ctx.pairs_with("k6", job, fewer(ctx.pairs), cpu_us)
    ctx.table.add_ratio(GET, "CPU", k6, CPU_UNIT, 1 / 7, "≤ 1/7")
    jmeter = ctx.pairs_with("JMeter", job, fewer(ctx.pairs), cpu_us, run=warm(ctx))
    ctx.table.add_ratio(GET, "CPU, JVM warm", jmeter, CPU_UNIT, 1 / 9, "≤ 1/9")
    with_start = ctx.pairs_with("JMeter", Job(ctx.nginx.url, duration_s=JVM_COLD_S), 1, cpu_us,
                                run=cold(ctx, job))
    ctx.table.add_ratio(GET, f"CPU, JVM's start-up and {JVM_COLD_S} s", with_start, CPU_UNIT)
    gatling = ctx.pairs_with("Gatling", job, 1, cpu_us, run=warm(ctx))
    ctx.table.add_ratio(GET, "CPU, JVM warm", gatling, CPU_UNIT)
    for peer in ("oha", "h2load", "ab", "vegeta"):
        pairs = ctx.pairs_with(peer, job, fewer(ctx.pairs), cpu_us)
        ctx.table.add_ratio(GET, "CPU", pairs, CPU_UNIT)


def cold(ctx: Context, own_job: Job):
    """Runs plimsoll as ever, and a JVM peer from its start on for the time of the job."""
    def run(name: str, job: Job) -> Measured:
        return ctx.run(name, own_job if name == SUBJECT else job)
    return run


def warm(ctx: Context):
    """Runs plimsoll as ever, and a JVM peer long enough to be measured warm."""
    def run(name: str, job: Job) -> Measured:
        return ctx.run(name, job) if name == SUBJECT else _warm_window(ctx, name, job)
    return run


def _warm_window(ctx: Context, peer: str, job: Job) -> Measured:
    """The last seconds of a long run.

    Start-up and most of the compiler's work, which would say more about the length
    of the run than about the tool, lie before them.
    """
    seconds = JVM_WARM_UP_S + JVM_WINDOW_S + 4
    before = ctx.nginx.requests()
    running, directory = ctx.start(peer, dataclasses.replace(job, duration_s=seconds))
    cpu_s, requests = 0.0, 0
    # The clock starts with the first requests, not with the JVM. Each look at the
    # counter counts itself, hence well over what the users send at once.
    deadline = time.monotonic() + 60
    while ctx.nginx.requests_since(before) < 1000 and time.monotonic() < deadline:
        if running.ended_within(0.2):
            break
    if not running.ended_within(JVM_WARM_UP_S):
        requests_then, cpu_then = ctx.nginx.requests(), running.cpu_s()
        if not running.ended_within(JVM_WINDOW_S):
            cpu_s = running.cpu_s() - cpu_then
            requests = ctx.nginx.requests_since(requests_then)
    finished = running.wait(seconds + 90)
    if finished.exit_code != 0 or requests <= 0:
        raise RunFailed(finished.complaint())
    return Measured(peer, finished.stdout, finished.wall_s, cpu_s, 0, requests, directory)


def rate(ctx: Context) -> None:
    """A constant 5,000/s: CPU against h2load, median latency against oha."""
    job = Job(ctx.nginx.url, duration_s=RUN_S, rate=5000)

    def cpu(measured: Measured) -> float:
        wanted = job.rate * job.duration_s
        if abs(measured.requests - wanted) > RATE_WITHIN * wanted:
            raise RunFailed(f"sent {measured.requests} requests, asked for {wanted:.0f}")
        return cpu_us(measured)

    def p50(kind: str):
        def read(measured: Measured) -> float:
            if measured.name == SUBJECT:
                return parse.plimsoll(measured.summary, kind)[50.0]
            return parse.oha(measured.stdout)[50.0]
        return read

    h2load = ctx.pairs_with("h2load", job, ctx.pairs, cpu)
    ctx.table.add_ratio(RATE, "CPU", h2load, CPU_UNIT, 1.25)
    oha = ctx.all_pairs_with("oha", job, ctx.pairs, {
        "response": p50("response_time_ms"), "service": p50("service_time_ms"), "CPU": cpu})
    ctx.table.add_ratio(RATE, "p50 from the intended start (oha: from the send)",
                        oha["response"], "ms", 1.0, digits=3)
    ctx.table.add_ratio(RATE, "p50 from the actual start", oha["service"], "ms", digits=3)
    ctx.table.add_ratio(RATE, "CPU", oha["CPU"], CPU_UNIT)


def https(ctx: Context) -> None:
    """GET over TLS as fast as one core can."""
    job = Job(ctx.nginx.https_url, duration_s=RUN_S)
    wrk = ctx.pairs_with("wrk", job, ctx.pairs, cpu_us)
    ctx.table.add_ratio(HTTPS, "CPU", wrk, CPU_UNIT, 1.1)
    for peer in ("h2load", "oha"):
        pairs = ctx.pairs_with(peer, job, fewer(ctx.pairs), cpu_us)
        ctx.table.add_ratio(HTTPS, "CPU", pairs, CPU_UNIT)


def large(ctx: Context) -> None:
    """Bodies of 100 KB, plain and over TLS."""
    for what, url in ((LARGE, ctx.nginx.url), (LARGE_HTTPS, ctx.nginx.https_url)):
        job = Job(url + "large", duration_s=RUN_S)
        for peer in ("wrk", "h2load"):
            pairs = ctx.pairs_with(peer, job, fewer(ctx.pairs), cpu_us)
            ctx.table.add_ratio(what, "CPU", pairs, CPU_UNIT)
