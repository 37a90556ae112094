"""A call that blocks an event loop."""

from ..draft import Draft, Service
from .base import Primitive, value_path


class Block(Primitive):
    """A wait that keeps the loop, in the place of one that lets others go on."""

    id = "block"
    group = "one"
    keeping = ("waiting_inside",)
    findings = ("event_loop_blocked", "single_thread", "own_wait")
    needs = frozenset({"block"})
    can_spare = False

    def limit(self, draft: Draft, service: Service) -> None:
        name = draft.value(service, "block")
        service.before.append({"do": f"={name}", "ms": draft.share_ms()})
        self.note(draft, service, name, True, {value_path(service, name): "pause"})
