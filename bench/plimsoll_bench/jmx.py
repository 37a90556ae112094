"""The same .jmx on JMeter and on plimsoll: a login flow, its CPU and its memory."""

from . import cpu
from .clients import Job
from .context import SUBJECT, Context, Measured

FLOW = "Login flow from one .jmx, 64 threads"
FEW = "Login flow from one .jmx, 10 threads, on both cores beside the server"
MEMORY = "Login flow from one .jmx, 1,000 threads"
PLAN = "login.jmx"
MEMORY_S = 15


def login(ctx: Context) -> None:
    """CPU for a request of the flow, warm and with the JVM's start; peak memory."""
    job = Job(ctx.nginx.url, duration_s=cpu.RUN_S, plan=PLAN)
    rounds = cpu.fewer(ctx.pairs)
    warm = ctx.pairs_with("JMeter", job, rounds, cpu.cpu_us, run=cpu.warm(ctx))
    ctx.table.add_ratio(FLOW, "CPU, JVM warm", warm, cpu.CPU_UNIT, 1 / 9, "≤ 1/9")
    whole = Job(ctx.nginx.url, duration_s=cpu.JVM_COLD_S, plan=PLAN)
    cold = ctx.pairs_with("JMeter", whole, rounds, cpu.cpu_us)
    ctx.table.add_ratio(FLOW, f"CPU, start-up and {cpu.JVM_COLD_S} s", cold, cpu.CPU_UNIT,
                        1 / 25, "≤ 1/25")
    few = Job(ctx.nginx.url, connections=10, duration_s=cpu.RUN_S, plan=PLAN, pinned=False)
    unpinned = ctx.pairs_with("JMeter", few, rounds, cpu.cpu_us, run=cpu.warm(ctx))
    ctx.table.add_ratio(FEW, "CPU, JVM warm", unpinned, cpu.CPU_UNIT)
    many = Job(ctx.nginx.url, connections=1000, duration_s=MEMORY_S, plan=PLAN)

    peak = ctx.pairs_with("JMeter", many, 1, peak_mb, run=watched(ctx))
    ctx.table.add_ratio(MEMORY, "peak resident set", peak, "MB", 1 / 15, "≤ 1/15")
    ctx.note(f"{SUBJECT}: {peak.subject_values} MB, JMeter: {peak.peer_values} MB")


def watched(ctx: Context):
    """Runs with the peak of their memory."""
    def run(name: str, job: Job) -> Measured:
        return ctx.run(name, job, watch_memory=True)
    return run


def peak_mb(measured: Measured) -> float:
    return measured.peak_rss_kib * 1024 / 1e6
