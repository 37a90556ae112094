"""Medians, spreads and ratios of interleaved pairs. Pure functions."""

import random
from dataclasses import dataclass
from typing import Callable, Sequence

# So that the same values always have the same interval.
BOOTSTRAP_SEED = 1
BOOTSTRAP_ROUNDS = 4000


def quantile(values: Sequence[float], fraction: float) -> float:
    """The quantile by linear interpolation between order statistics (R's type 7)."""
    if not values:
        raise ValueError("no values")
    if not 0.0 <= fraction <= 1.0:
        raise ValueError(f"fraction {fraction} is not in 0..1")
    ordered = sorted(values)
    position = fraction * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def median(values: Sequence[float]) -> float:
    """The middle of the values."""
    return quantile(values, 0.5)


@dataclass(frozen=True)
class Spread:
    """Median, range and inter-quartile range of repeated measurements."""

    count: int
    low: float
    q1: float
    median: float
    q3: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        return cls(
            count=len(values),
            low=min(values),
            q1=quantile(values, 0.25),
            median=median(values),
            q3=quantile(values, 0.75),
            high=max(values),
        )

    def text(self, digits: int = 2) -> str:
        """`low..high, IQR q1..q3`, as the table prints it."""
        return (
            f"{self.low:.{digits}f}..{self.high:.{digits}f}, "
            f"IQR {self.q1:.{digits}f}..{self.q3:.{digits}f}"
        )


def ratios(pairs: Sequence[tuple[float, float]]) -> list[float]:
    """subject / peer for each pair; the runs of a pair followed each other."""
    return [subject / peer for subject, peer in pairs]


def relative_error(observed: float, truth: float) -> float:
    """|observed − truth| / truth."""
    return abs(observed - truth) / truth


def order(round_index: int, first: str, second: str) -> tuple[str, str]:
    """Who runs first in this round: alternating, so that drift favours nobody."""
    return (first, second) if round_index % 2 == 0 else (second, first)


@dataclass(frozen=True)
class Block:
    """Windows of both kinds in one stretch of time, as one ratio."""

    ratio: float

    @classmethod
    def of(cls, order: Sequence[bool], rates: Sequence[float]) -> "Block":
        """The mean of the windows that `order` marks over the mean of the others.

        In the order true, false, false, true a steady drift is in both means alike.
        """
        subject = [rate for mark, rate in zip(order, rates, strict=True) if mark]
        peer = [rate for mark, rate in zip(order, rates, strict=True) if not mark]
        return cls(sum(subject) / len(subject) / (sum(peer) / len(peer)))


def bootstrap_interval(values: Sequence[float], share: float = 0.95,
                       statistic: Callable[[Sequence[float]], float] = median,
                       ) -> tuple[float, float]:
    """The percentile bootstrap interval of a statistic (Efron, Ann. Statist. 7, 1979)."""
    if not values:
        raise ValueError("no values")
    dice = random.Random(BOOTSTRAP_SEED)
    drawn = [statistic(dice.choices(values, k=len(values))) for _ in range(BOOTSTRAP_ROUNDS)]
    tail = (1 - share) / 2
    return quantile(drawn, tail), quantile(drawn, 1 - tail)


def cpu_ticks(text: str) -> dict[int, list[int]]:
    """Clock ticks of each CPU of /proc/stat, in the order of proc_stat(5)."""
    lines = [line.split() for line in text.splitlines() if line.startswith("cpu")]
    return {int(words[0][3:]): [int(word) for word in words[1:]]
            for words in lines if words[0] != "cpu"}
