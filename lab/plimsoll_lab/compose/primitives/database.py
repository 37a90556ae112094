"""What a service asks of its database or cache."""

from ..draft import Draft, Service
from .base import Primitive, pool, value_path
from .pools import DATABASES


_ROWS_PER_MS = {"mariadb": 5000, "postgresql": 12_000}
"""How fast each reads a table, about."""


class Scan(Primitive):
    """A statement that reads the whole table, for want of an index."""

    id = "scan"
    group = "database"
    keeping = ("running", "cpu_wait", "waiting_for")
    findings = ("full_scan", "known_work", "slow_statement", "database_cpu", "slow_database")
    keepers = ("store",)
    needs = frozenset({"query"})
    wants_store = DATABASES
    can_spare = False

    def limit(self, draft: Draft, service: Service) -> None:
        store = draft.store(DATABASES)
        scan_ms = draft.stores[store]["rows"] / _ROWS_PER_MS[draft.stores[store]["kind"]]
        count = max(1, round(draft.share_ms() * 1.6 / scan_ms))
        name = pool(draft, service, DATABASES, draft.users * 2)
        service.after.insert(0, {"do": "query", "name": name, "how": "list", "count": count})
        self.note(draft, service, draft.stores[store]["table"], True, {f"stores/{store}/indexed": True})


class HotRow(Primitive):
    """Transactions that all change the same row, and take their time."""

    id = "hot-row"
    group = "one"
    keeping = ("waiting_inside", "waiting_for")
    findings = ("row_locks", "held_row_locks", "slow_statement", "slow_database")
    keepers = ("store",)
    needs = frozenset({"query"})
    wants_store = DATABASES

    def limit(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, 1, draft.share_ms(), True)

    def spare(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, 5000, 1.0, False)

    def _put(self, draft: Draft, service: Service, among: int, held_ms: float, intended: bool) -> None:
        name = pool(draft, service, DATABASES, draft.users * 2)
        keep = draft.value(service, among)
        service.after.insert(
            0, {"do": "query", "name": name, "how": "change", "ms": held_ms, "keep": f"={keep}"}
        )
        self.note(draft, service, name, intended, {value_path(service, keep): 50_000})


class Statements(Primitive):
    """Many small statements for each request."""

    id = "statements"
    group = "database"
    keeping = ("running", "cpu_wait", "waiting_for", "waiting_inside")
    findings = ("many_queries", "many_calls", "database_cpu", "slow_database", "cpu", "single_thread")
    keepers = ("store", "service")
    needs = frozenset({"query"})
    wants_store = DATABASES

    def limit(self, draft: Draft, service: Service) -> None:
        extra_ms = draft.base_ms * (draft.factor - 1)
        self._put(draft, service, min(max(int(extra_ms / 0.25), 60), 500), True)

    def spare(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, 2, False)

    def _put(self, draft: Draft, service: Service, count: int, intended: bool) -> None:
        name = pool(draft, service, DATABASES, draft.users * 2)
        held = draft.value(service, count)
        service.after.insert(0, {"do": "query", "name": name, "how": "key", "count": f"={held}"})
        self.note(draft, service, name, intended, {value_path(service, held): 1})


class Lookups(Primitive):
    """Many look-ups in the cache, one after the other."""

    id = "lookups"
    group = "database"
    keeping = ("running", "cpu_wait", "waiting_for", "waiting_inside")
    findings = ("many_round_trips", "many_calls", "cache_cpu", "cpu", "single_thread")
    keepers = ("store", "service")
    needs = frozenset({"get"})
    wants_store = ("redis",)

    def limit(self, draft: Draft, service: Service) -> None:
        extra_ms = draft.base_ms * (draft.factor - 1)
        self._put(draft, service, min(max(int(extra_ms / 0.08), 100), 1500), True)

    def spare(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, 2, False)

    def _put(self, draft: Draft, service: Service, count: int, intended: bool) -> None:
        name = pool(draft, service, ("redis",), draft.users * 2)
        held = draft.value(service, count)
        service.before.append({"do": "get", "name": name, "count": f"={held}"})
        self.note(draft, service, name, intended, {value_path(service, held): 1})
