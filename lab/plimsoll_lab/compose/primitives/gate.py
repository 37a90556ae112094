"""So many at a time, by a semaphore of the program's own."""

from ..draft import Draft, Service
from .base import PLENTY, Primitive


class Gate(Primitive):
    """A semaphore around what takes the service's time."""

    id = "gate"
    group = "places"
    keeping = ("waiting_inside",)
    findings = ("concurrency_limit", "semaphore", "object_pool", "blocked_place")
    needs = frozenset({"inside"})

    def limit(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, draft.at_a_time(draft.base_ms), True)

    def spare(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, draft.users * draft.source.randint(2, 4), False)

    def _put(self, draft: Draft, service: Service, permits: int, intended: bool) -> None:
        name = draft.names.next()
        service.gates[name] = {"permits": permits}
        service.core = [{"do": "inside", "name": name, "steps": service.core}]
        cure = {f"services/{service.place}/gates/{name}/permits": PLENTY}
        self.note(draft, service, name, intended, cure)
