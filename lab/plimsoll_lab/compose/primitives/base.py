"""What a primitive is: a thing that can limit a service, with its parameters and its cure."""

from abc import ABC, abstractmethod

from ..draft import Draft, Service

PLENTY = 400
"""Places of something that lets nobody wait."""


class Primitive(ABC):
    """A thing that can limit. `limit` makes it do so, `spare` adds it with room to spare."""

    id = ""
    group = ""
    """Of two in one group only one is in a composition."""
    keeping: tuple[str, ...] = ()
    """What kinds of an account's parts the time it costs is rightly counted as."""
    findings: tuple[str, ...] = ()
    """Findings of which each names it rightly."""
    keepers: tuple[str, ...] = ("service",)
    """Who keeps the time: `service`, `store`; of several, each is right."""
    needs: frozenset[str] = frozenset()
    """Steps, or abilities, that a runtime must have."""
    wants_store: tuple[str, ...] = ()
    """Kinds of stores of which it needs one."""
    wants_neighbour = False
    can_spare = True

    def fits(self, draft: Draft, service: Service) -> bool:
        """Whether it can be put there."""
        if not self.needs <= service.runtime.abilities:
            return False
        if self.wants_store and not draft.store(self.wants_store):
            return False
        return service.asks or not self.wants_neighbour

    @abstractmethod
    def limit(self, draft: Draft, service: Service) -> None:
        """Puts it there so that it limits, and notes it as what is meant to."""

    def spare(self, draft: Draft, service: Service) -> None:
        """Puts it there with room to spare, and notes it."""
        raise NotImplementedError(self.id)

    def note(
        self,
        draft: Draft,
        service: Service,
        name: str,
        intended: bool,
        cure: dict,
        more_keepers: tuple[str, ...] = (),
    ) -> None:
        """Notes what could limit. A cure is `{path: value}`; a path has slashes: services/0/quota."""
        known = {"service": service.name}
        if self.wants_store:
            known["store"] = draft.store(self.wants_store)
        draft.candidates.append(
            {
                "id": f"{self.id}@{service.name}",
                "primitive": self.id,
                "service": service.name,
                "keepers": [*(known[each] for each in self.keepers), *more_keepers],
                "name": name,
                "keeping": list(self.keeping),
                "findings": list(self.findings),
                "intended": intended,
                "cure": cure,
            }
        )


def value_path(service: Service, name: str) -> str:
    """Where a cure finds one of a service's values."""
    return f"services/{service.place}/values/{name}"


def pool(draft: Draft, service: Service, kinds: tuple[str, ...], most: int) -> str:
    """A pool of connections of the service to a store of these kinds: its name."""
    name = draft.names.next()
    service.pools[name] = {"store": draft.store(kinds), "max": most}
    return name
