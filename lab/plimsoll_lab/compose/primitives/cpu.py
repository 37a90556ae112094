"""CPU: the program's own, and what its control group allows."""

from ..draft import Draft, Service
from .base import Primitive, value_path

_HOW = ("own", "json", "regex", "gzip", "hash")


class Compute(Primitive):
    """Computing in own code or in a library."""

    id = "compute"
    group = "cpu"
    # One loop, or one interpreter's lock: others wait for it inside.
    keeping = ("running", "cpu_wait", "waiting_inside")
    findings = ("cpu", "hot_code", "known_work", "single_thread", "host_cpu")

    def limit(self, draft: Draft, service: Service) -> None:
        cores = 0.8 * service.runtime.cores
        cpu_ms = max(draft.share_ms() * cores, 3.0)
        self._put(draft, service, draft.rounds(service, cpu_ms), True)

    def spare(self, draft: Draft, service: Service) -> None:
        self._put(draft, service, 2, False)

    def _put(self, draft: Draft, service: Service, rounds: int, intended: bool) -> None:
        name = draft.value(service, rounds)
        how = draft.source.choice(_HOW)
        service.before.append({"do": "work", "how": how, "rounds": f"={name}"})
        self.note(draft, service, name, intended, {value_path(service, name): max(rounds // 12, 1)})


class Quota(Primitive):
    """A control group that gives the service a part of a CPU."""

    id = "quota"
    group = "cpu"
    keeping = ("cpu_wait", "running", "waiting_inside")
    findings = ("cpu",)

    def limit(self, draft: Draft, service: Service) -> None:
        low = 0.6 if service.runtime.warms_up else 0.25
        service.quota = round(draft.source.uniform(low, low + 0.2), 2)
        cpu_ms = max(service.quota * draft.share_ms() - service.runtime.request_cpu_ms, 0.5)
        how = draft.source.choice(_HOW)
        service.before.append({"do": "work", "how": how, "rounds": draft.rounds(service, cpu_ms)})
        self.note(draft, service, "", True, {f"services/{service.place}/quota": None})

    def spare(self, draft: Draft, service: Service) -> None:
        service.quota = 1.5
        self.note(draft, service, "", False, {f"services/{service.place}/quota": None})
