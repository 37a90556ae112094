"""What a Spring tier tells of itself while it is loaded: single metrics of its Prometheus page."""

import re

from . import network
from .instance import Instance
from .tiers.base import request

_TIMEOUT_S = 5


def read(running: Instance, wanted: dict[str, list[str]]) -> dict[str, float]:
    """The sum of each metric by `tier: metric`; what is not there or not told in time is not.

    A metric is a name, or a name and labels: `jvm_threads_states_threads{state="blocked"}`.
    """
    found = {}
    for name, metrics in wanted.items():
        tier = running.tier(name)
        with network.entered(tier["netns"]):
            _, text = request(
                tier["host"],
                tier["ports"]["management"],
                "GET",
                "/actuator/prometheus",
                timeout_s=_TIMEOUT_S,
            )
        for metric in metrics:
            value = total(text, metric)
            if value is not None:
                found[f"{name}: {metric}"] = value
    return found


def total(page: str, metric: str) -> float | None:
    """The sum over all series of a metric; None if there is none."""
    name, _, labels = metric.rstrip("}").partition("{")
    pairs = [each for each in labels.split(",") if each]
    values = []
    for line in page.splitlines():
        parts = re.fullmatch(r"([a-zA-Z_:][\w:]*)(\{.*\})? ([^ ]+)( \d+)?", line)
        if parts and parts[1] == name and all(pair in (parts[2] or "") for pair in pairs):
            values.append(float(parts[3]))
    return sum(values) if values else None
