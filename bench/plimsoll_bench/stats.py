"""Medians, spreads and ratios of interleaved pairs. Pure functions."""

from dataclasses import dataclass
from typing import Sequence


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
