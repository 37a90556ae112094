"""So many at a time, by the server's own threads or children."""

from ..draft import Draft, Service
from .base import PLENTY, Primitive


class Workers(Primitive):
    """An executor, a pool of threads or children of the server."""

    id = "workers"
    group = "places"
    keeping = ("waiting_inside", "accept_queue")
    findings = ("concurrency_limit", "worker_threads", "task_threads", "full_queue", "accept_queue", "max_connections",
                "queue_workers")
    needs = frozenset({"places"})

    def limit(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, draft.at_a_time(draft.base_ms), True)

    def spare(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, service.threads, False)

    def _put(self, draft: Draft, service: Service, threads: int, intended: bool) -> None:
        spare = service.runtime.spare_threads(draft.users)
        service.threads = threads
        # A server with a process for each place cannot have any number of them.
        more = min(PLENTY, spare + (0 if intended else draft.users // 2))
        self.note(draft, service, "", intended, {f"services/{service.place}/threads": more})
