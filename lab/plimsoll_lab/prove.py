"""Measures what a case's fault costs: load on the faulty system, cure, load again."""

import datetime
import json
import os
import statistics
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import engine, load, network, process, signals
from .casefile import STATES, Case, Expect
from .errors import LabError
from .instance import Instance

_TIME_WAIT_S = 65
"""A little over what Linux keeps a socket in TIME_WAIT."""

_HELD_PORTS = 0.01
"""Share of the local ports that does not matter: health checks and the like."""
_WARMING = ("spring", "gateway", "tomcat")


@dataclass
class Measured:
    """One load on one state of the system."""

    state: str
    summary: dict
    cpu: dict[str, float] = field(default_factory=dict)
    """CPUs used on average during the load, by tier."""
    signals: dict[str, float] = field(default_factory=dict)
    """The case's metrics, late in the load."""
    others: float = 0.0
    """CPUs used meanwhile by what is neither the system nor the load."""

    def value(self, metric: str) -> float:
        """A metric of casefile.METRICS; times are in ms, rates a second."""
        total = self.summary["total"]
        match metric:
            case "throughput":
                return total["throughput_per_s"]
            case "ok_throughput":
                return total["throughput_per_s"] * (1 - total["error_rate"])
            case "error_share":
                return total["error_rate"]
        return total["response_time_ms"][metric]

    def facts(self) -> dict[str, object]:
        """What a person or [shown] is told."""
        total = self.summary["total"]
        generator = self.summary["generator"]
        return {
            "throughput": round(total["throughput_per_s"], 1),
            "error_share": round(total["error_rate"], 4),
            "p50_ms": round(total["response_time_ms"]["p50"], 1),
            "p99_ms": round(total["response_time_ms"]["p99"], 1),
            "max_ms": round(total["response_time_ms"]["max"], 1),
            "errors": {
                key: count for key, count in self.summary["errors_by_kind"].items() if count
            },
            "generator": generator["reasons"] if generator["limited"] else [],
            "cpus": {name: round(used, 2) for name, used in self.cpu.items()},
            "others_cpu": round(self.others, 2),
            "signals": {name: round(value, 3) for name, value in self.signals.items()},
        }


def measure(
    running: Instance,
    hop: str | None = None,
    wanted: dict[str, list[str]] | None = None,
    more: list[str] | None = None,
    environment: dict[str, str] | None = None,
) -> Measured:
    """The case's load, once; or that of one hop. `more` goes to plimsoll run."""
    _settle(running)
    file = running.directory / "summary.json"
    file.unlink(missing_ok=True)
    values = running.facts["load"]["values"]
    warm_up_s = values.get("warm_up_s") or 0
    log = running.directory / "load.log"
    with log.open("wb") as out:
        child = load.start(
            running,
            [
                *("--quiet", "--summary-json", str(file)),
                *("--out", str(running.directory / "runs")),
                *(more or []),
            ],
            hop,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
        try:
            cpu, seen, others = _watch(running, child, warm_up_s, wanted or {})
        except BaseException:
            child.kill()
            child.wait()
            raise
    try:
        summary = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LabError(
            f"the load gave no summary (exit code {child.returncode}): "
            f"{log.read_text(errors='replace')[-800:]}"
        ) from error
    return Measured(running.facts["state"], summary, cpu, seen, others)


def _settle(running: Instance) -> None:
    """Waits till a load before this one holds next to no local ports of the instance any more."""
    end = time.monotonic() + _TIME_WAIT_S
    network_facts = running.facts["network"]
    while network.held_ports(network_facts) > _HELD_PORTS and time.monotonic() < end:
        time.sleep(0.5)


def _watch(
    running: Instance, child: subprocess.Popen, warm_up_s: float, wanted: dict[str, list[str]]
) -> tuple[dict[str, float], dict[str, float], float]:
    """CPU use of each tier from the end of the warm-up to the end; signals at three quarters, and
    till then the CPUs that others used."""
    duration_s = running.facts["load"]["values"]["duration_s"]
    limit_s = warm_up_s + duration_s + 90
    begin = time.monotonic()
    _wait(child, warm_up_s)
    before, start = _cpu(running), time.monotonic()
    others_before = _others(running, child)
    _wait(child, begin + warm_up_s + duration_s * 0.75 - start)
    others = _others(running, child) - others_before if child.poll() is None else 0.0
    others /= max(time.monotonic() - start, 0.1)
    seen = signals.read(running, wanted) if child.poll() is None else {}
    _wait(child, begin + warm_up_s + duration_s - time.monotonic())
    after, end = _cpu(running), time.monotonic()  # what is captured after the load takes time
    if not _wait(child, begin + limit_s - time.monotonic()):
        raise LabError(f"the load did not end within {limit_s:g} s")
    used = {name: (after[name] - before[name]) / max(end - start, 0.1) for name in before}
    return used, seen, max(others, 0.0)


def _others(running: Instance, child: subprocess.Popen) -> float:
    """CPU time so far of all that is neither a tier nor the load, in s."""
    user, nice, system, _idle, _iowait, irq, softirq, *_ = (
        int(each) for each in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    )
    busy_s = (user + nice + system + irq + softirq) / process.TICKS_PER_S
    own_s = sum(_cpu(running).values())
    load = process.identify(child.pid)
    return busy_s - own_s - (process.cpu_s(load) if load else 0.0)


def _wait(child: subprocess.Popen, seconds: float) -> bool:
    """Whether it ended within that time."""
    try:
        child.wait(max(seconds, 0))
    except subprocess.TimeoutExpired:
        return False
    return True


def _cpu(running: Instance) -> dict[str, float]:
    return {
        tier["name"]: process.cpu_s(process.Process(tier["pid"], tier["start_time"]))
        for tier in running.facts["tiers"]
    }


@dataclass
class Proof:
    """What was measured, and what it says."""

    case: Case
    seed: int
    values: dict[str, object]
    pairs: list[dict[str, Measured]]
    expect: Expect | None
    hops: dict[str, Measured] = field(default_factory=dict)
    """The faulty system's hops, each loaded alone."""

    def values_of(self, state: str) -> list[float]:
        """The metric in one state, pair by pair."""
        metric = self.expect.metric if self.expect else "throughput"
        return [pair[state].value(metric) for pair in self.pairs if state in pair]

    def ratios(self) -> list[float]:
        """Cured over faulty, pair by pair."""
        return [
            cured / faulty if faulty else float("inf")
            for faulty, cured in zip(self.values_of("faulty"), self.values_of("cured"), strict=True)
        ]

    def misses(self) -> list[str]:
        """What does not come out as expected; judged by the middle of the pairs."""
        if self.expect is None:
            return []
        found = []
        for name, bounds, values in (
            ("cured/faulty", self.expect.cured_over_faulty, self.ratios()),
            ("faulty", self.expect.faulty, self.values_of("faulty")),
            ("cured", self.expect.cured, self.values_of("cured")),
        ):
            if bounds and values and not bounds[0] <= statistics.median(values) <= bounds[1]:
                found.append(
                    f"{name} {self.expect.metric} is {statistics.median(values):.4g}, "
                    f"expected {bounds[0]:g} to {bounds[1]:g}"
                )
        return found

    def facts(self) -> dict[str, object]:
        """All of it, for --json."""
        return {
            "case": self.case.id,
            "seed": self.seed,
            "values": self.values,
            "metric": self.expect.metric if self.expect else "throughput",
            "faulty": self.values_of("faulty"),
            "cured": self.values_of("cured"),
            "cured_over_faulty": self.ratios(),
            "misses": self.misses(),
            "holds": not self.misses(),
            "pairs": [{state: each.facts() for state, each in pair.items()} for pair in self.pairs],
            "hops": {hop: each.facts() for hop, each in self.hops.items()},
        }


def prove(case: Case, running: Instance, pairs: int, say) -> Proof:
    """Faulty then cured, so many times; every other pair the other way round."""
    proof = Proof(case, running.facts["seed"], running.facts["values"], [], case.expect)

    def take(state: str) -> Measured:
        if running.facts["state"] != state:
            engine.switch(running, state == "cured", say)
        taken = measure(running, wanted=case.signals)
        say(f"{state}: {line(taken.facts())}")
        return taken

    for index in range(pairs):
        order = STATES if index % 2 == 0 else tuple(reversed(STATES))
        before = _jvms(running)
        pair = {state: take(state) for state in order}
        if index == 0 and before and before & _jvms(running):
            say("a JVM lived through the switch, and was colder at first: measured again")
            pair[order[0]] = take(order[0])
        proof.pairs.append(pair)
    if case.hops:
        engine.switch(running, False, say)
        for hop in case.hops:
            proof.hops[hop] = measure(running, hop)
            say(f"{hop} alone: {line(proof.hops[hop].facts())}")
    return proof


def _jvms(running: Instance) -> set[int]:
    """The JVMs that run now and get warmer as they are loaded."""
    return {tier["pid"] for tier in running.facts["tiers"] if tier["kind"] in _WARMING}


def line(facts: dict[str, object]) -> str:
    """What `Measured.facts` says, for people."""
    cpus = ", ".join(f"{name} {used:g}" for name, used in facts["cpus"].items())
    text = (
        f"{facts['throughput']:g}/s, p50 {facts['p50_ms']:g} ms, p99 {facts['p99_ms']:g} ms, "
        f"errors {facts['error_share']:.2%}, CPUs: {cpus}"
    )
    if facts["signals"]:
        text += ", " + ", ".join(f"{name} {value:g}" for name, value in facts["signals"].items())
    if facts["errors"]:
        text += f", {facts['errors']}"
    if facts["generator"]:
        text += f"; the generator was the bottleneck: {', '.join(facts['generator'])}"
    return text


def report(proof: Proof) -> str:
    """The effect in words."""
    metric = proof.expect.metric if proof.expect else "throughput"
    lines = [
        f"{proof.case.id} (seed {proof.seed}): {metric} "
        f"faulty {_numbers(proof.values_of('faulty'))}, "
        f"cured {_numbers(proof.values_of('cured'))}, "
        f"cured/faulty {_numbers(proof.ratios())}"
    ]
    lines += [f"not as expected: {each}" for each in proof.misses()]
    if proof.expect and not proof.misses():
        lines.append("as expected")
    return "\n".join(lines)


def _numbers(values: list[float]) -> str:
    return " ".join(f"{each:.4g}" for each in values) or "-"


def record(proof: Proof) -> None:
    """Writes [shown], the last table of the case's file, anew; a note was on the old figures."""
    path = proof.case.file
    head = path.read_text(encoding="utf-8").partition("\n[shown]")[0].rstrip("\n")
    lines = [
        "[shown]",
        f"date = {datetime.date.today().isoformat()}",
        f"machine = {_toml(machine())}",
        f"seed = {proof.seed}",
    ]
    metric = proof.expect.metric if proof.expect else "throughput"
    lines += [f"metric = {_toml(metric)}"]
    for name, values in (
        ("faulty", proof.values_of("faulty")),
        ("cured", proof.values_of("cured")),
        ("cured_over_faulty", proof.ratios()),
    ):
        lines.append(f"{name} = [{', '.join(_rounded(each) for each in values)}]")
    last = proof.pairs[-1]
    for state in STATES:
        lines.append(f"{state}_seen = {_toml(line(last[state].facts()))}")
    for hop, each in proof.hops.items():
        lines.append(f"hop_{hop}_seen = {_toml(line(each.facts()))}")
    path.write_text(head + "\n\n" + "\n".join(lines) + "\n", encoding="utf-8")


def _rounded(value: float) -> str:
    return "inf" if value == float("inf") else f"{float(f'{value:.4g}'):.10g}"


def _toml(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def machine() -> str:
    """The CPUs and how busy they are now."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        "unknown CPU",
    )
    busy = os.getloadavg()[0]
    return f"{len(os.sched_getaffinity(0))} CPUs ({model}), load average {busy:.1f} at the end"
