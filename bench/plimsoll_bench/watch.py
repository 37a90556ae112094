"""What watching costs: the target's throughput with it and without it, and where the cost is.

The agent runs on the server's core, as it would on a target's host, beside a server that needs
the whole core: what the agent takes is missing there. The run that asks the agent shares the
generator's core, and so takes its part from the load.
"""

import time
from dataclasses import dataclass, field
from pathlib import Path

from . import stats
from .context import SUBJECT, Context, RunFailed
from .table import FAILS, NO_TARGET, Row, judge
from .watched import WINDOW_S, Capturing, JvmTarget, Load, NginxTarget, Watching

SECTION = "Watching: {name} on one core, the agent beside it, 64 connections"
SOURCES = "Watching {name}: one source alone"
CAPTURES = "Captures of {name} on one core, the agent beside it, 64 connections"
KINDS = ("thread_dump", "cpu_samples")
UNWATCHED = "the same load, watching held"
MOST_LOST = 0.02
MOST_CPU = 0.01
# Below this the server's core was not the limit, and what watching takes there is hidden.
LEAST_BUSY = 0.97
# The order in which the windows of a block follow each other: a steady drift cancels out.
BLOCK = (True, False, False, True)


@dataclass
class Windows:
    """What the windows of one measurement showed."""

    blocks: list[stats.Block] = field(default_factory=list)
    watched: list[float] = field(default_factory=list)
    unwatched: list[float] = field(default_factory=list)
    watched_s: float = 0.0
    agent_cpu_s: float = 0.0
    run_cpu_s: float = 0.0
    begin_cpu_s: float = 0.0
    busy: list[float] = field(default_factory=list)
    stolen: list[float] = field(default_factory=list)

    def agent_share(self) -> float:
        """Share of a core that the agent used while it watched."""
        return self.agent_cpu_s / self.watched_s

    def run_share(self) -> float:
        """Share of a core that the watching run used."""
        return self.run_cpu_s / self.watched_s


def watch(ctx: Context) -> None:
    """nginx, all sources."""
    _measure(ctx, NginxTarget)


def watch_jvm(ctx: Context) -> None:
    """The lab's service on Tomcat, all sources."""
    _measure(ctx, JvmTarget)


def watch_sources(ctx: Context) -> None:
    """Both targets, each source alone: fewer blocks, no verdict."""
    blocks = max(3, ctx.pairs // 3)

    def each_alone(section: str, target) -> None:
        for name, sources in target.sources.items():
            windows = _watched(ctx, target, sources, blocks)
            _add_ratio(ctx, section, f"throughput, {name} alone", windows, None)
            _add_cpu(ctx, section, f"CPU of the agent, {name} alone", windows, False)

    for kind in (NginxTarget, JvmTarget):
        _on(ctx, kind, SOURCES, each_alone)


def watch_captures(ctx: Context) -> None:
    """The lab's service on Tomcat, out of CPU: windows of 5 s with a capture and without."""

    def each_kind(section: str, target) -> None:
        for kind in KINDS:
            def capturing(seconds: float, kind=kind) -> Capturing:
                return Capturing(ctx, target, kind, seconds)

            windows = _windows(ctx, target, capturing, ctx.pairs)
            _add_ratio(ctx, section, f"throughput, {kind} taken", windows, None,
                       beside="the same load, watched alone")
            _add_cpu(ctx, section, f"CPU of the agent, {kind} taken", windows, False)

    _on(ctx, JvmTarget, CAPTURES, each_kind)


def watch_stacks(ctx: Context) -> None:
    """nginx, out of CPU: windows of 5 s with its stacks taken and without."""

    def stacks(section: str, target) -> None:
        def capturing(seconds: float) -> Capturing:
            return Capturing(ctx, target, "stacks", seconds, source="process")

        windows = _windows(ctx, target, capturing, ctx.pairs)
        _add_ratio(ctx, section, "throughput, stacks taken", windows, None,
                   beside="the same load, watched alone")
        _add_cpu(ctx, section, "CPU of the agent, stacks taken", windows, False)

    _on(ctx, NginxTarget, CAPTURES, stacks)


def _measure(ctx: Context, kind) -> None:
    _on(ctx, kind, SECTION, lambda section, target: _add_all(ctx, section, target))


def _on(ctx: Context, kind, title: str, measure) -> None:
    """Measures a target; what cannot be measured is a row of the table."""
    section = title.format(name=kind.name)
    if not ctx.has(SUBJECT):
        ctx.table.add(Row(section, "throughput", "not built", verdict="not measured"))
        return
    try:
        with kind(ctx) as target:
            measure(section, target)
    except (RunFailed, OSError, ValueError, KeyError) as error:
        ctx.table.add(Row(section, "throughput", "failed", verdict=f"{FAILS}: {error}"))


def _add_all(ctx: Context, section: str, target) -> None:
    everything = [each for sources in target.sources.values() for each in sources]
    windows = _watched(ctx, target, everything, ctx.pairs)
    _add_ratio(ctx, section, "throughput, watched every second", windows, MOST_LOST)
    _add_cpu(ctx, section, "CPU of the agent under load, share of a core", windows, True)
    ctx.table.add(Row(section, "CPU of the agent to begin (once)",
                      plimsoll=f"{windows.begin_cpu_s * 1e3:.0f} ms"))
    ctx.table.add(Row(section, "CPU of the watching run beside the load, share of a core",
                      plimsoll=f"{windows.run_share() * 100:.2f} %"))
    busy = stats.Spread.of(windows.busy)
    ctx.table.add(Row(section, "the server's core, busy", plimsoll=f"{busy.median * 100:.1f} %",
                      spread=busy.text(3)))
    stolen = stats.Spread.of(windows.stolen)
    ctx.table.add(Row(section, "stolen from both cores by other machines",
                      plimsoll=f"{stolen.median * 100:.1f} %", spread=stolen.text(3)))
    if busy.median < LEAST_BUSY:
        ctx.table.remark(f"{target.name}: its core was not the limit; what the agent takes there "
                         "may not show in the throughput")


def _watched(ctx: Context, target, sources: list[str], blocks: int) -> Windows:
    """Windows with these sources watched and without."""
    return _windows(ctx, target, lambda seconds: Watching(ctx, target, sources, seconds), blocks)


def _windows(ctx: Context, target, begin, blocks: int) -> Windows:
    """Blocks of windows over one load: watched, not, not, watched."""
    seconds = blocks * len(BLOCK) * (WINDOW_S + 1) + target.warm_s + 120
    result = Windows()
    with Load(ctx, target, seconds) as load, begin(seconds) as watching:
        result.begin_cpu_s = watching.begun.cpu_s
        for index in range(blocks):
            rates = [_window(ctx, target, watching, watched, result) for watched in BLOCK]
            if not load.goes_on():
                raise RunFailed("the load ended before the measurement")
            result.blocks.append(stats.Block.of(BLOCK, rates))
            ctx.note(f"{target.name}: block {index + 1} of {blocks}: "
                     f"ratio {result.blocks[-1].ratio:.4f}")
    return result


def _window(ctx: Context, target, watching: Watching, watched: bool, result: Windows) -> float:
    """One window; gives the target's requests per second."""
    if watched:
        cpu_before = watching.cpu_s()
        watching.go_on()
    cores_before = Cores.now(ctx)
    requests, began = target.requests(), time.monotonic()
    time.sleep(WINDOW_S)
    requests, ended = target.requests() - requests, time.monotonic()
    cores = Cores.now(ctx).since(cores_before)
    if watched:
        watching.hold()
        agent, run = watching.cpu_s()
        result.agent_cpu_s += agent - cpu_before[0]
        result.run_cpu_s += run - cpu_before[1]
        result.watched_s += ended - began
    rate = requests / (ended - began)
    if rate <= 0:
        raise RunFailed(f"{target.name} counted no request")
    (result.watched if watched else result.unwatched).append(rate)
    result.busy.append(cores.server_busy)
    result.stolen.append(cores.stolen)
    return rate


@dataclass(frozen=True)
class Cores:
    """Clock ticks of the server's core, and those stolen from both."""

    idle: int
    all: int
    steal: int
    both: int

    @classmethod
    def now(cls, ctx: Context) -> "Cores":
        """Reads /proc/stat."""
        ticks = stats.cpu_ticks(Path("/proc/stat").read_text())
        server = ticks[ctx.server_core]
        both = [ticks[core] for core in {ctx.server_core, ctx.client_core}]
        # user nice system idle iowait irq softirq steal
        return cls(server[3] + server[4], sum(server[:8]),
                   sum(each[7] for each in both), sum(sum(each[:8]) for each in both))

    def since(self, before: "Cores") -> "Shares":
        """The shares between two readings."""
        whole, both = self.all - before.all, self.both - before.both
        return Shares(server_busy=1 - (self.idle - before.idle) / max(1, whole),
                      stolen=(self.steal - before.steal) / max(1, both))


@dataclass(frozen=True)
class Shares:
    """Of one window."""

    server_busy: float
    stolen: float


def _add_ratio(ctx: Context, section: str, what: str, windows: Windows, most: float | None,
               beside: str = UNWATCHED, ratios: list[float] | None = None) -> None:
    """A row of the throughput. `most`: so much of it may be lost, if that is judged; `ratios`: not those of
    whole windows."""
    ratios = ratios or [block.ratio for block in windows.blocks]
    spread = stats.Spread.of(ratios)
    low, high = stats.bootstrap_interval(ratios)
    ctx.table.add(Row(
        section, what,
        plimsoll=f"{stats.median(windows.watched):.0f}/s",
        beside=beside, its_value=f"{stats.median(windows.unwatched):.0f}/s",
        ratio=f"{spread.median:.4f}",
        spread=f"95 % interval {low:.4f}..{high:.4f}; {spread.text(3)}; {spread.count} blocks",
        target=NO_TARGET if most is None else f"≥ {1 - most:g}",
        verdict=NO_TARGET if most is None else judge(1 - spread.median, most)))


def _add_cpu(ctx: Context, section: str, what: str, windows: Windows, judged: bool) -> None:
    share = windows.agent_share()
    ctx.table.add(Row(
        section, what, plimsoll=f"{share * 100:.2f} %",
        spread=f"over {windows.watched_s:.0f} s",
        target=f"< {MOST_CPU * 100:g} %" if judged else NO_TARGET,
        verdict=judge(share, MOST_CPU) if judged else NO_TARGET))
