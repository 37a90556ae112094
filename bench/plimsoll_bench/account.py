"""What the account of the response time costs, and Little's law.

Each server has one core, which it needs whole: what watching takes there is missing in the throughput.
Windows with and without follow each other in blocks over one load. `--watch auto` runs on the server's core,
as it does where it is needed: on the target's own host. The wire is taken for 3 s of a window of 5 s; what it
takes of the throughput in these 3 s is reckoned from the whole window.
"""

import json
import shutil
import subprocess
import time

from . import clients, proc, stats
from .account_targets import NodeTarget, PhpTarget
from .clients import Job
from .context import SUBJECT, Context, RunFailed
from .table import Row, judge
from .watch import Windows, _add_ratio, _on, _windows
from .watched import (
    BEGIN_S, READY_S, WINDOW_S, Begun, Capturing, JvmTarget, Load, NginxTarget, Watching, end,
)

SECTION = "The account: {name} on one core, 64 connections"
LITTLE = "Little's law: PHP-FPM's own count beside the wire"
WIRE_S = 3.0
MOST_OBSERVED = 0.02
MOST_WIRE = 0.05
MOST_APART = 0.05
TARGETS = (NginxTarget, JvmTarget, PhpTarget, NodeTarget)


class Observing(Watching):
    """A run of one request a second that watches by itself, on the server's core. Held at first."""

    def __init__(self, ctx: Context, target, seconds: float):
        super().__init__(ctx, target, [], seconds)

    def __enter__(self) -> "Observing":
        self._directory = self._ctx.fresh_directory()
        argv = clients.COMMANDS[SUBJECT](self._job, self._directory) + ["--watch=auto"]
        began = time.monotonic()
        self._run = self._agent = proc.Running("auto", argv, self._ctx.server_core,
                                               cwd=self._directory)
        if self._run.ended_within(max(BEGIN_S, READY_S / 4)):
            raise RunFailed(self._run.wait(0).complaint())
        self.begun = Begun(self._run.cpu_s(), time.monotonic() - began)
        self.hold()
        return self

    def __exit__(self, *_) -> None:
        end(self._run)
        shutil.rmtree(self._directory, ignore_errors=True)


class Wiring(Capturing):
    """Has the wire looked at where another watching goes on."""

    def __init__(self, ctx: Context, target, seconds: float):
        Watching.__init__(self, ctx, target, target.sources["host"], seconds)
        self._kind = "wire"
        self._taking: subprocess.Popen | None = None

    def reports(self) -> list[dict]:
        """What was seen so far."""
        found = []
        out = str(self._directory / "run")
        for number in range(1, 200):
            argv = [str(clients.subject_binary()), "captures", "--out", out, "last", "-n", str(number)]
            told = subprocess.run(argv, text=True, capture_output=True, check=False)
            if told.returncode != 0:
                break
            start = told.stdout.find("{")
            try:
                read = json.loads(told.stdout[start:]) if start >= 0 else {}
            except ValueError:
                continue
            if "connections_share" in read:
                found.append(read)
        return found


def account(ctx: Context) -> None:
    """All servers, then Little's law."""
    for kind in TARGETS:
        _on(ctx, kind, SECTION, lambda section, target: _target(ctx, section, target))
    _on(ctx, PhpTarget, LITTLE, lambda section, target: _little(ctx, section, target))


def _target(ctx: Context, section: str, target) -> None:
    observed = _windows(ctx, target, lambda seconds: Observing(ctx, target, seconds), ctx.pairs)
    _add(ctx, section, "throughput, --watch auto (observe)", observed, MOST_OBSERVED, WINDOW_S)
    seen: list[dict] = []

    class Remembered(Wiring):
        """Reads what was seen before it goes."""

        def __exit__(self, *rest) -> None:
            seen.extend(self.reports())
            super().__exit__(*rest)

    wired = _windows(ctx, target, lambda seconds: Remembered(ctx, target, seconds), ctx.pairs)
    rates = [report["packets"] / report["connections_share"] / report["lasts_ms"] * 1e3
             for report in seen if report["packets"]]
    shares = [report["connections_share"] for report in seen if report["packets"]]
    if not rates:
        raise RunFailed("no packets were seen: are there the rights?")
    what = f"throughput, wire for 3 s at {stats.median(rates):.0f} packets/s"
    if min(shares) < 1:
        what += f", {stats.median(shares) * 100:.0f} % of the connections"
    _add(ctx, section, what, wired, MOST_WIRE, WIRE_S)


def while_it_lasts(ratio: float, lasts_s: float) -> float:
    """The ratio of the throughput in these seconds, of that in a window around them."""
    return 1 - (1 - ratio) * WINDOW_S / lasts_s


def _add(ctx: Context, section: str, what: str, windows: Windows, most: float, lasts_s: float) -> None:
    ratios = [while_it_lasts(block.ratio, lasts_s) for block in windows.blocks]
    _add_ratio(ctx, section, what, windows, most, ratios=ratios)


def _little(ctx: Context, section: str, target) -> None:
    """Children at work by PHP-FPM's own count, and X · R of the hop to it."""
    pairs = []
    slow = type(target.name, (), {"url": target.url + "slow", "warm_s": target.warm_s})
    lasts_s = ctx.pairs * (WINDOW_S + 2) + 60
    with Load(ctx, slow, lasts_s), Wiring(ctx, target, lasts_s) as wiring:
        for _ in range(ctx.pairs):
            looks = []
            wiring.go_on()
            ends = time.monotonic() + WINDOW_S + 1
            while time.monotonic() < ends:
                looks.append((time.time_ns(), target.status()["active processes"]))
                time.sleep(0.004)
            wiring.hold()
            report = wiring.reports()[-1]
            begins = report["from_unix_ns"]
            lasts = begins + report["lasts_ms"] * 1e6
            counted = [number for at, number in looks if begins <= at < lasts]
            hops = [hop for hop in report["hops"]
                    if hop["server"]["address"].endswith(f":{target.fpm}") and hop.get("response_ms")]
            law = sum(hop["requests_per_s"] * hop["response_ms"]["mean"] / 1e3 for hop in hops)
            if not counted or not hops:
                raise RunFailed("PHP-FPM or its hop was not seen")
            pairs.append((sum(counted) / len(counted), law))
    ratios = [law / own for own, law in pairs]
    spread = stats.Spread.of(ratios)
    ctx.table.add(Row(
        section, "requests at work, X · R of the wire",
        plimsoll=f"{stats.median([law for _, law in pairs]):.2f}",
        beside="active processes by PHP-FPM", its_value=f"{stats.median([own for own, _ in pairs]):.2f}",
        ratio=f"{spread.median:.4f}", spread=spread.text(3), target=f"within {MOST_APART:g}",
        verdict=judge(abs(1 - spread.median), MOST_APART)))
