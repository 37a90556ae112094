"""Systems written by hand, for what cannot be drawn; each with its cure. Adding one takes a function here
and a line in CASES. They are for writing rules, like seeds below 1000."""

import random
from collections.abc import Callable

from ..errors import LabError
from . import beside, draw, primitives
from .draft import Draft, Service
from .names import Names
from .runtimes import find

_USERS = 12
_PAUSE_MS = 50.0
_FEW_FILES = 12
"""Go itself takes seven of them."""


def _draft(name: str, runtime: str, cpu_ms: float = 0.0) -> Draft:
    """One service that pauses, and computes for that long."""
    source = random.Random(f"compose/{name}")
    draft = Draft(source, Names(source), _USERS, _PAUSE_MS, 3.0)
    service = Service(draft.names.next(), f"/{draft.names.word()}s", find(runtime), 0)
    service.core.append({"do": "pause", "ms": _PAUSE_MS})
    if cpu_ms:
        rounds = draft.rounds(service, cpu_ms)
        service.core.append({"do": "work", "how": "hash", "rounds": rounds})
    service.after.append({"do": "body", "bytes": 900})
    if service.runtime.has_threads:
        service.threads = service.runtime.spare_threads(_USERS)
    draft.services.append(service)
    return draft


def _composition(name: str, draft: Draft, topology: str, **more) -> dict:
    return {
        "format": draw.FORMAT,
        "seed": name,
        "topology": topology,
        "services": [each.facts() for each in draft.services],
        "front": None,
        "stores": draft.stores,
        "load": {"users": draft.users, "think_ms": None},
        "expected_per_s": None,
        **more,
    }


def _front(name: str, kind: str, setting: str, few: int, many: int, primitive: str) -> dict:
    draft = _draft(name, "jvm-jdk" if kind == "haproxy" else "go")
    service = draft.services[0].name
    limits = primitives.find(primitive)
    return _composition(
        name,
        draft,
        f"one service, {kind} in front",
        front={"kind": kind, setting: few},
        candidates=[limits.candidate(["front"], service, {f"front/{setting}": many})],
    )


def _pooler(name: str) -> dict:
    draft = _draft(name, "python-threads")
    service, store = draft.services[0], draft.names.word()
    draft.stores[store] = {
        "kind": "postgresql",
        "table": f"{draft.names.word()}_line",
        "rows": 60_000,
        "indexed": True,
    }
    pool = draft.names.next()
    service.pools[pool] = {"store": store, "max": primitives.base.PLENTY}
    change = {"do": "query", "name": pool, "how": "change", "count": 1, "ms": 40, "keep": 1000}
    service.core.append(change)
    limits = primitives.find("pooler-places")
    return _composition(
        name,
        draft,
        "one service, postgresql behind pgbouncer",
        pooler={"store": store, "places": 2},
        candidates=[limits.candidate(["pooler"], service.name, {"pooler/places": 50})],
    )


def _names(name: str) -> dict:
    draft = _draft(name, "go")
    service = draft.services[0].name
    draft.services[0].core.insert(0, {"do": "resolve", "name": draft.names.word()})
    limits = primitives.find("slow-names")
    return _composition(
        name,
        draft,
        "one service, a name server",
        names={"delay_ms": 70.0},
        candidates=[limits.candidate([beside.NAMES, service], service, {"names/delay_ms": 0.0})],
    )


def _kept(name: str) -> dict:
    draft = _draft(name, "go")
    service = draft.services[0].name
    made = [{"do": "pause", "ms": 120}]
    draft.services[0].core.insert(
        0, {"do": "remember", "name": draft.names.word(), "keep": 30, "bytes": 1_200_000, "steps": made}
    )
    limits = primitives.find("refused-entries")
    return _composition(
        name,
        draft,
        "one service, memcached",
        kept={"item_max": "1m"},
        candidates=[limits.candidate([service, beside.KEPT], service, {"kept/item_max": "4m"})],
    )


def _partition(name: str) -> dict:
    draft = _draft(name, "go")
    service = draft.services[0].name
    draft.services[0].core.append({"do": "log", "bytes": 1600, "tries": 4, "again_ms": 40})
    limits = primitives.find("full-partition")
    return _composition(
        name,
        draft,
        "one service, a partition for its log",
        partition={"mb": 1},
        candidates=[limits.candidate([service], service, {"partition/mb": 200})],
    )


def _neighbour(name: str) -> dict:
    draft = _draft(name, "go", cpu_ms=3.5)
    service = draft.services[0].name
    limits = primitives.find("neighbour")
    return _composition(
        name,
        draft,
        "one service, a neighbour on its CPU",
        neighbour={"busy": True},
        cpu=1,
        candidates=[limits.candidate([service, "neighbour"], service, {"neighbour/busy": False})],
    )


def _wire(name: str, primitive: str, bad: dict[str, float]) -> dict:
    draft = _draft(name, "go")
    service = draft.services[0].name
    draft.services[0].after = [{"do": "body", "bytes": 12_000}]
    limits, good = primitives.find(primitive), {"delay_ms": 0.0, "loss_percent": 0.0, "rate_mbit": None}
    cure = {f"wire/{key}": value for key, value in good.items() if key in bad}
    return _composition(
        name,
        draft,
        "one service over a bad wire, nginx in front",
        front={"workers": 1},
        wire=good | bad,
        candidates=[limits.candidate(["front", service], service, cure)],
    )


def _descriptors(name: str) -> dict:
    draft = _draft(name, "go")
    service = draft.services[0]
    service.files = _FEW_FILES
    limits = primitives.find("few-descriptors")
    cure = {"services/0/files": None}
    return _composition(
        name,
        draft,
        "one service with few descriptors",
        candidates=[limits.candidate([service.name], service.name, cure)],
    )


def _cold(name: str) -> dict:
    draft = _draft(name, "jvm-tomcat")
    service = draft.services[0]
    service.core = [{"do": "work", "how": how, "rounds": 6} for how in ("json", "regex", "gzip")]
    limits = primitives.find("cold-start")
    return _composition(
        name,
        draft,
        "one service, measured from its start",
        warm=False,
        candidates=[limits.candidate([service.name], service.name, {"warm": True})],
    )


CASES: dict[str, Callable[[str], dict]] = {
    "haproxy": lambda name: _front(name, "haproxy", "maxconn", 3, 0, "proxy-places"),
    "apache": lambda name: _front(name, "apache", "workers", 3, 100, "proxy-workers"),
    "pgbouncer": _pooler,
    "neighbour": _neighbour,
    "names": _names,
    "memcached": _kept,
    "partition": _partition,
    "loss": lambda name: _wire(name, "lost-packets", {"loss_percent": 8.0}),
    "delay": lambda name: _wire(name, "late-packets", {"delay_ms": 60.0}),
    "link": lambda name: _wire(name, "narrow-link", {"rate_mbit": 8.0}),
    "descriptors": _descriptors,
    "cold": _cold,
}


def composition(name: str) -> dict:
    """The system of that name."""
    if name not in CASES:
        raise LabError(f"--seeds: '{name}' is neither a number, a range nor one of {', '.join(CASES)}")
    return CASES[name](name)
