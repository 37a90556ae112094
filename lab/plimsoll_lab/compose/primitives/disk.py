"""Files that are written, and waited for."""

from ..draft import Draft, Service
from .base import Primitive, value_path


class Sync(Primitive):
    """Each request waits until its files are on the disk."""

    id = "sync"
    group = "disk"
    # On an event loop all others wait for it, too.
    keeping = ("disk", "waiting_inside")
    findings = ("disk_busy", "blocked_io", "single_thread", "own_wait")
    needs = frozenset({"store"})
    can_spare = False

    def limit(self, draft: Draft, service: Service) -> None:
        name = draft.value(service, True)
        step = {"do": "store", "bytes": 16_384, "count": draft.source.randint(40, 70)}
        service.after.insert(0, step | {"sync": f"={name}"})
        self.note(draft, service, name, True, {value_path(service, name): False})
