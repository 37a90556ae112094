"""One at a time, by a lock that is held for long."""

from ..draft import Draft, Service
from .base import Primitive, value_path


class Lock(Primitive):
    """A lock around something that takes time: a short wait, as for a device or a file."""

    id = "lock"
    group = "one"
    keeping = ("waiting_inside",)
    findings = ("concurrency_limit", "lock", "semaphore", "blocked_place")
    needs = frozenset({"alone"})

    def limit(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, draft.share_ms(), 1.0, True)

    def spare(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, 1.0, 0.0, False)

    def _put(self, draft: Draft, service: Service, held_ms: float, then: float, intended: bool) -> None:
        name = draft.names.next()
        service.locks[name] = {}
        held = draft.value(service, held_ms)
        steps = [{"do": "pause", "ms": f"={held}"}]
        service.before.append({"do": "alone", "name": name, "steps": steps})
        self.note(draft, service, name, intended, {value_path(service, held): then})
