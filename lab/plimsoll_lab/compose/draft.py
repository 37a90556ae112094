"""A composition while it is drawn: the figures that primitives choose their parameters by."""

import random
from dataclasses import dataclass, field

from .names import Names
from .runtimes.base import Runtime

ROUND_MS = 0.1
"""What one round of a step `work` costs, about, before a runtime's own factor."""


@dataclass
class Service:
    """A service of the draft. Its steps are before + core + after; the core is what takes its time."""

    name: str
    path: str
    runtime: type[Runtime]
    place: int
    threads: int = 0
    quota: float | None = None
    heap_mib: int | None = None
    files: int | None = None
    """Descriptors it may have; none: as many as the lab."""
    gates: dict[str, dict] = field(default_factory=dict)
    locks: dict[str, dict] = field(default_factory=dict)
    pools: dict[str, dict] = field(default_factory=dict)
    neighbours: dict[str, dict] = field(default_factory=dict)
    values: dict[str, object] = field(default_factory=dict)
    """What steps name as `=name`: the numbers that a cure changes."""
    before: list[dict] = field(default_factory=list)
    core: list[dict] = field(default_factory=list)
    after: list[dict] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    """Primitives it has: each once, since names of settings would collide."""

    @property
    def is_leaf(self) -> bool:
        """Whether it calls nobody."""
        return not self.neighbours

    @property
    def asks(self) -> bool:
        """Whether it asks somebody who responds to it."""
        return any("jobs" not in each for each in self.neighbours.values())

    def facts(self) -> dict:
        """Its part of a composition."""
        return {
            "name": self.name,
            "path": self.path,
            "runtime": self.runtime.id,
            "threads": self.threads,
            "quota": self.quota,
            "heap_mib": self.heap_mib,
            "files": self.files,
            "gates": self.gates,
            "locks": self.locks,
            "pools": self.pools,
            "neighbours": self.neighbours,
            "values": self.values,
            "routes": {self.path: self.before + self.core + self.after},
        }


@dataclass
class Draft:
    """All that has been drawn so far. Times in ms, rates a second."""

    source: random.Random
    names: Names
    users: int
    base_ms: float
    """A response without anything that limits."""
    factor: float
    """How many times as long it should be with what limits."""
    services: list[Service] = field(default_factory=list)
    stores: dict[str, dict] = field(default_factory=dict)
    think_ms: float | None = None
    leaves_jobs: bool = False
    """Whether what the last service is to do is left for it in a list in Redis."""
    at_once: bool = False
    """Whether the first service calls all others at once."""
    candidates: list[dict] = field(default_factory=list)

    @property
    def limit_per_s(self) -> float:
        """The throughput that what limits should allow."""
        return self.users / (self.base_ms / 1000) / self.factor

    def share_ms(self) -> float:
        """How long a thing that serves one at a time may take, to allow that throughput."""
        return round(1000 / self.limit_per_s, 1)

    def at_a_time(self, held_ms: float) -> int:
        """How many places, each held so long, allow that throughput."""
        return max(1, int(self.limit_per_s * held_ms / 1000))

    def value(self, service: Service, value: object) -> str:
        """The name under which the service holds a value: steps say `=name`."""
        name = self.names.next()
        service.values[name] = value
        return name

    def rounds(self, service: Service, cpu_ms: float) -> int:
        """Rounds of `work` that take so long in the service's runtime."""
        return max(1, round(cpu_ms / ROUND_MS * service.runtime.round_factor))

    def pick(self, low: float, high: float) -> float:
        """A number of the range, with one decimal."""
        return round(self.source.uniform(low, high), 1)

    def store(self, kinds: tuple[str, ...]) -> str | None:
        """The name of a store of these kinds, if there is one."""
        return next((key for key, each in self.stores.items() if each["kind"] in kinds), None)
