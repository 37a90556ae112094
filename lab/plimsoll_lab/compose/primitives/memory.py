"""Memory: what is made and thrown away for each request, and a heap that is nearly full of what is kept."""

from ..draft import Draft, Service
from .base import Primitive, value_path
from .cpu import Compute

_KIB = 1024
_LITTLE_KIB = 64
_SMALL_HEAP_MIB = 96
_LARGE_HEAP_MIB = 768
_ALIVE_MIB = (72, 76)
"""Of a small heap: what is left is made for requests, and a JVM wants some for itself."""
_KEPT_KIB = 512
_MADE_KIB = 6144


class Allocation(Primitive):
    """Many small things that are made for each request: it costs CPU, a collector's too."""

    id = "allocation"
    group = Compute.group
    keeping = (*Compute.keeping, "garbage_collection")
    findings = (*Compute.findings, "gc_pauses", "heap_full")
    needs = frozenset({"allocate"})

    def limit(self, draft: Draft, service: Service) -> None:
        cpu_ms = max(0.8 * service.runtime.cores * draft.share_ms(), 3.0)
        self._put(draft, service, round(cpu_ms * service.runtime.makes_kib_per_ms), True)

    def spare(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, _LITTLE_KIB, False)

    def _put(self, draft: Draft, service: Service, kib: int, intended: bool) -> None:
        name = draft.value(service, kib * _KIB)
        service.before.append({"do": "allocate", "bytes": f"={name}"})
        fewer = max(kib // 12, 1) * _KIB
        self.note(draft, service, name, intended, {value_path(service, name): fewer})


class _FullHeap(Primitive):
    """A heap of which little is free: the collector takes the time."""

    group = "heap"
    keeping = ("garbage_collection", "running", "cpu_wait", "waiting_inside")
    findings = ("heap_full", "gc_pauses")
    needs = frozenset({"allocate", "heap"})
    can_spare = False

    def _fill(self, draft: Draft, service: Service) -> str:
        """Keeps something of each request, until so much is kept: the name of how much of each."""
        service.heap_mib = _SMALL_HEAP_MIB
        name = draft.value(service, _KEPT_KIB * _KIB)
        alive = draft.source.randint(*_ALIVE_MIB) * _KIB * _KIB
        step = {"do": "allocate", "bytes": _MADE_KIB * _KIB, "keep": f"={name}", "most": alive}
        service.before.append(step)
        return name


class SmallHeap(_FullHeap):
    """What is kept is needed; the heap is too small for it."""

    id = "small-heap"

    def limit(self, draft: Draft, service: Service) -> None:
        self._fill(draft, service)
        heap = f"services/{service.place}/heap_mib"
        self.note(draft, service, "", True, {heap: _LARGE_HEAP_MIB})


class Leak(_FullHeap):
    """What is kept is needed by nobody."""

    id = "leak"

    def limit(self, draft: Draft, service: Service) -> None:
        name = self._fill(draft, service)
        self.note(draft, service, name, True, {value_path(service, name): 0})
