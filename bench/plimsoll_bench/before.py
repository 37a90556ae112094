"""Another build of plimsoll, such as one from before a change, beside this one: the same jobs, in pairs."""

from . import cpu, jmx
from .clients import BEFORE, Job
from .context import Context, Measured

# Two builds that cost the same differ by so much in the median of a few pairs on a shared machine.
WITHIN = 1.05
MANY = 5000


def before(ctx: Context) -> None:
    """What a request costs and a run keeps in memory, of both builds (PLIMSOLL_BEFORE)."""
    url, https = ctx.nginx.url, ctx.nginx.https_url
    for what, job in (
        (cpu.GET, Job(url)),
        (cpu.RATE, Job(url, rate=5000)),
        (cpu.HTTPS, Job(https)),
        (cpu.LARGE, Job(url + "large")),
        (cpu.LARGE_HTTPS, Job(https + "large")),
        (jmx.FLOW, Job(url, plan=jmx.PLAN)),
    ):
        pairs = ctx.pairs_with(BEFORE, job, ctx.pairs, cpu.cpu_us)
        ctx.table.add_ratio(what, "CPU", pairs, cpu.CPU_UNIT, WITHIN)
    one = ctx.pairs_with(BEFORE, Job(url, connections=1, requests=1), ctx.pairs, _wall_ms)
    ctx.table.add_ratio("One request", "wall time", one, "ms", WITHIN)
    for what, job in ((cpu.GET, Job(url)),
                      (f"{MANY:,} connections", Job(url, connections=MANY, duration_s=5))):
        peak = ctx.pairs_with(BEFORE, job, cpu.fewer(ctx.pairs), jmx.peak_mb,
                              run=jmx.watched(ctx))
        ctx.table.add_ratio(what, "peak resident set", peak, "MB", WITHIN)


def _wall_ms(measured: Measured) -> float:
    return measured.wall_s * 1e3
