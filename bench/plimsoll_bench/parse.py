"""Reads the reports of other tools. Every latency that leaves here is in ms."""

import json
import re

# percentile → ms; 100 is the maximum.
Percentiles = dict[float, float]


def wrk(text: str) -> Percentiles:
    """The lines that bench/wrk/percentiles.lua prints (µs)."""
    found = re.findall(r"^percentile (\S+) (\d+)$", text, re.MULTILINE)
    return {float(p): int(us) / 1e3 for p, us in found}


def oha(text: str) -> Percentiles:
    """`oha --output-format json` (s)."""
    report = json.loads(text)
    found: Percentiles = {}
    for name, percentile in (("p50", 50.0), ("p99", 99.0), ("p99.9", 99.9)):
        value = report.get("latencyPercentiles", {}).get(name)
        if value is not None:
            found[percentile] = value * 1e3
    slowest = report.get("summary", {}).get("slowest")
    if slowest is not None:
        found[100.0] = slowest * 1e3
    return found


def vegeta(json_text: str, hdrplot_text: str = "") -> Percentiles:
    """`vegeta report -type=json` (ns) and, for p99.9, `-type=hdrplot` (ms)."""
    latencies = json.loads(json_text)["latencies"]
    found = {
        50.0: latencies["50th"] / 1e6,
        99.0: latencies["99th"] / 1e6,
        100.0: latencies["max"] / 1e6,
    }
    for line in hdrplot_text.splitlines():
        cells = line.split()
        if len(cells) >= 2 and re.fullmatch(r"0\.9990\d*", cells[1]):
            found[99.9] = float(cells[0])
            break
    return found


def k6(text: str) -> Percentiles:
    """`k6 run --summary-export` of http_req_duration (ms)."""
    metric = json.loads(text)["metrics"]["http_req_duration"]
    metric = metric.get("values", metric)
    names = {"p(50)": 50.0, "med": 50.0, "p(99)": 99.0, "p(99.9)": 99.9, "max": 100.0}
    return {p: float(metric[name]) for name, p in names.items() if name in metric}


_UNIT_MS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def h2load(text: str) -> Percentiles:
    """h2load's line `time for request: min max mean sd`: it prints no percentiles."""
    found = re.search(r"time for request:\s+\S+\s+([\d.]+)(us|ms|s)\b", text)
    return {100.0: float(found[1]) * _UNIT_MS[found[2]]} if found else {}


def plimsoll(text: str, kind: str = "response_time_ms") -> Percentiles:
    """plimsoll's summary JSON, `total`; kind is response_time_ms or service_time_ms."""
    latency = json.loads(text)["total"][kind]
    names = {"p50": 50.0, "p99": 99.0, "p99_9": 99.9, "max": 100.0}
    return {p: float(latency[name]) for name, p in names.items()}


def plimsoll_requests(text: str) -> int:
    """Requests that plimsoll says it wrote whole: samples plus those cut off."""
    total = json.loads(text)["total"]
    return int(total["samples"]) + int(total["cut_off"])


def stub_status(text: str) -> tuple[int, int]:
    """nginx stub_status: active connections, requests (this one included)."""
    active = re.search(r"Active connections:\s*(\d+)", text)
    requests = re.search(r"^\s*\d+\s+\d+\s+(\d+)\s*$", text, re.MULTILINE)
    if not active or not requests:
        raise ValueError(f"not a stub_status page: {text[:80]!r}")
    return int(active[1]), int(requests[1])


def status_kib(text: str, field: str) -> int:
    """A field such as VmHWM or VmRSS of /proc/PID/status, in KiB; 0 if absent."""
    found = re.search(rf"^{field}:\s+(\d+) kB$", text, re.MULTILINE)
    return int(found[1]) if found else 0


def stat_cpu_ticks(text: str) -> int:
    """utime + stime of /proc/PID/stat, in clock ticks (man 5 proc)."""
    # The name in parentheses may hold spaces: count the fields from its end.
    fields = text[text.rindex(")") + 2 :].split()
    return int(fields[11]) + int(fields[12])


def groovy_cost(text: str) -> list[tuple[int, float]]:
    """Users and the median in ms, line by line, of the companion's example `groovy_cost`."""
    found = re.findall(r"^(\d+) users, \d+ calls each: median ([\d.]+) ms", text, re.MULTILINE)
    return [(int(users), float(median_ms)) for users, median_ms in found]
