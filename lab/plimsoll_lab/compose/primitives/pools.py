"""So many at a time, by a pool of connections."""

from ..draft import Draft, Service
from .base import PLENTY, Primitive, pool

DATABASES = ("mariadb", "postgresql")


class StorePool(Primitive):
    """A pool of connections to the database, held for as long as a transaction takes."""

    id = "store-pool"
    group = "places"
    keeping = ("waiting_inside",)
    findings = ("concurrency_limit", "connection_pool", "object_pool", "blocked_place")
    needs = frozenset({"query", "pool"})
    wants_store = DATABASES

    def limit(self, draft: Draft, service: Service) -> None:
        held_ms = round(draft.share_ms() * draft.source.uniform(1.5, 3.5), 1)
        self._put(draft, service, held_ms, draft.at_a_time(held_ms), True)

    def spare(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, 1.0, draft.users + draft.source.randint(2, 10), False)

    def _put(self, draft: Draft, service: Service, held_ms: float, most: int, intended: bool) -> None:
        name = pool(draft, service, DATABASES, most)
        service.after.insert(
            0, {"do": "query", "name": name, "how": "change", "ms": held_ms, "count": 1}
        )
        plenty = draft.users * 3
        self.note(
            draft, service, name, intended, {f"services/{service.place}/pools/{name}/max": plenty}
        )


class CallPool(Primitive):
    """A pool of connections to another service."""

    id = "call-pool"
    group = "places"
    keeping = ("waiting_inside",)
    findings = (
        "concurrency_limit",
        "outgoing_pool",
        "connection_pool",
        "object_pool",
        "blocked_place",
    )
    needs = frozenset({"call-pool"})
    wants_neighbour = True

    def limit(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, draft.at_a_time(draft.base_ms / max(self._calls(service), 1)), True)

    def spare(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, draft.users * 2, False)

    @staticmethod
    def _calls(service: Service) -> int:
        return len(service.neighbours)

    def _put(self, draft: Draft, service: Service, most: int, intended: bool) -> None:
        asked = [key for key, each in service.neighbours.items() if "jobs" not in each]
        name = draft.source.choice(sorted(asked))
        service.neighbours[name]["max"] = most
        cure = {f"services/{service.place}/neighbours/{name}/max": PLENTY}
        self.note(draft, service, name, intended, cure)
