"""Waiting for another system."""

from ..draft import Draft, Service
from .base import Primitive, value_path


class Remote(Primitive):
    """A system that takes its time, however many ask: the wait is healthy, and it is the limit."""

    id = "remote"
    group = "time"
    keeping = ("waiting_inside", "waiting_for")
    findings = ("waits_elsewhere", "slow_dependency", "own_wait", "hop_latency")
    can_spare = False

    def fits(self, draft: Draft, service: Service) -> bool:
        return service.is_leaf and super().fits(draft, service)

    def limit(self, draft: Draft, service: Service) -> None:
        longer_ms = round(draft.base_ms * (draft.factor - 1), 1)
        name = draft.value(service, longer_ms)
        service.core.append({"do": "pause", "ms": f"={name}"})
        self.note(draft, service, name, True, {value_path(service, name): 0.5})


class Again(Primitive):
    """A neighbour that refuses now and then, and is asked again after a while."""

    id = "again"
    group = "time"
    keeping = ("waiting_inside", "waiting_for")
    findings = ("retries", "own_wait", "slow_dependency", "failed_requests", "rate_limit")
    wants_neighbour = True
    can_spare = False

    def limit(self, draft: Draft, service: Service) -> None:
        share = draft.pick(0.4, 0.5)
        calls = [each for each in service.core if each["do"] == "call"]
        if not calls:
            return
        call = draft.source.choice(calls)
        behind = next(each for each in draft.services if each.name == call["name"])
        # As often as it refuses, on average, that often it is asked again.
        again_ms = draft.base_ms * (draft.factor - 1) * (1 - share) / share
        call |= {"tries": 20, "again_ms": round(again_ms, 1)}
        name = draft.value(behind, share)
        behind.before.insert(0, {"do": "refuse", "share": f"={name}"})
        self.note(
            draft, service, name, True, {value_path(behind, name): 0.0}, (behind.name,)
        )
