"""What a response's time went on, from what the services measured themselves and the kernel says.

Parts are per request of the load, in ms: `{"keeper", "kind", "what", "or", "ms"}`. A keeper is a service,
a store, or the front; `or`: who may be the keeper as well. Kinds are those of a diagnosis' account: running, cpu_wait, disk,
waiting_inside, and waiting_for where a service waits for what is no part of the system.
"""

from . import beside, front
from .measure import Measured
from .runtimes.base import Look

_LINES = "line:"
HELD = "held"
"""What a transaction holds between its statements."""
_NOT_PARTS = ("work_cpu", "gc_paused")
"""Sums that are no part of a request's time: of what CPU it had, and how long the whole process stood still."""
_WHOLE = "whole:"
"""Calls that were there at once with others, each as long as it took; `call:` has its share of the time of all."""
_ROOMY_CPUS = 1.2
"""A quota below this holds threads up."""


def parts(composition: dict, measured: Measured) -> list[dict]:
    """All parts, the largest first. Their sum is the response time as far as it was measured."""
    first = composition["services"][0]["name"]
    if first not in measured.services or not measured.services[first].requests:
        return []
    requests = measured.services[first].requests
    shares = _shares(composition, measured.services)
    found: list[dict] = []
    for service in composition["services"]:
        look = measured.services.get(service["name"])
        if look and look.requests:
            made = _of_service(service, look, requests, measured)
            found += [each | {"ms": each["ms"] * shares[service["name"]]} for each in made]
    found += _doors(composition, measured, requests, shares)
    found += _stores(composition, measured, requests, shares)
    counted = {name: look.requests for name, look in measured.services.items()}
    return hold(composition, _merged(found), counted)


def hold(composition: dict, found: list[dict], counted: dict[str, int]) -> list[dict]:
    """What a transaction holds between its statements is its service's pause, and no time of the store; what
    is waited for before a store is the pooler's in front of it, if there is one. `counted`: the requests of
    each service."""
    first = counted.get(composition["services"][0]["name"], 0)
    made = [dict(each) for each in found]
    for service in composition["services"]:
        share = counted.get(service["name"], 0) / max(first, 1)
        for store, held_ms in _held(service).items():
            waits = [
                each
                for each in made
                if each["keeper"] == store and each["kind"] == "waiting_inside" and each["what"] == "db"
            ]
            for each in waits[:1]:
                moved = min(held_ms * share, each["ms"])
                each["ms"] -= moved
                made.append(_part(service["name"], "waiting_inside", HELD, moved))
    pooler = composition.get("pooler")
    for each in made:
        if pooler and each["keeper"] == pooler["store"] and each["what"] == "db":
            each["or"] = "pooler"
    return _merged(made)


def _held(service: dict) -> dict[str, float]:
    """How long a request of a service holds what it changed, by store, in ms."""
    held: dict[str, float] = {}
    steps = [each for route in service.get("routes", {}).values() for each in route]

    def number(given: object) -> float:
        text = str(given)
        return float(service["values"].get(text[1:], 0) if text.startswith("=") else given)

    while steps:
        step = steps.pop()
        steps += step.get("steps", [])
        if step["do"] == "query" and step.get("how") == "change":
            store = service["pools"][step["name"]]["store"]
            ms = number(step.get("ms", 0)) * number(step.get("count", 1))
            held[store] = held.get(store, 0.0) + ms
    return held


def is_part(key: str) -> bool:
    """Whether a sum of a service is a part of its requests' time."""
    return key not in _NOT_PARTS and not key.startswith(_WHOLE)


def _shares(composition: dict, services: dict[str, Look]) -> dict[str, float]:
    """The share that each service's time has in a response: calls that are there at once are waited for once."""
    found: dict[str, float] = {}
    for caller in composition["services"]:
        look = services.get(caller["name"])
        found.setdefault(caller["name"], 1.0)
        for key, each in caller["neighbours"].items():
            whole = look.sums.get(_WHOLE + key, 0.0) if look else 0.0
            share = look.sums.get(f"call:{key}", 0.0) / whole if whole else 1.0
            found[each["service"]] = found[caller["name"]] * share
    return found


def _merged(found: list[dict]) -> list[dict]:
    merged: dict[tuple, float] = {}
    for each in found:
        key = (each["keeper"], each["kind"], each["what"], each.get("or", ""))
        merged[key] = merged.get(key, 0.0) + each["ms"]
    made = [
        {"keeper": keeper, "kind": kind, "what": what, "or": other, "ms": round(ms, 3)}
        for (keeper, kind, what, other), ms in merged.items()
        if ms > 0.005
    ]
    return sorted(made, key=lambda each: -each["ms"])


def _part(keeper: str, kind: str, what: str, ms: float) -> dict:
    return {"keeper": keeper, "kind": kind, "what": what, "ms": ms}


def _of_service(service: dict, look: Look, requests: int, measured: Measured) -> list[dict]:
    """What a service spends by itself: what it waits for others for is their part."""
    made, name = [], service["name"]
    sums = {key: value / requests for key, value in look.sums.items()}
    kernel = measured.kernel.get(name)
    kernel_ms = kernel.running * 1000 / requests if kernel else 0.0
    work = sums.get("work", 0.0)
    # A runtime that runs several requests on one thread counts some CPU time twice.
    running = min(work, sums.get("work_cpu", 0.0), kernel_ms)
    # What the kernel does not know of is the runtime's own line: its scheduler, its one lock.
    wanting = min(work - running, _wanting_ms(kernel, service, requests))
    made.append(_part(name, "running", "work", running))
    made.append(_part(name, "cpu_wait", "work", wanting))
    # While it collects garbage, all threads stand still.
    stood = sums.get("gc_paused", 0.0) / (measured.window_s * 1000) * look.total_ms
    collecting = min(work - running - wanting, stood)
    made.append(_part(name, "garbage_collection", "work", collecting))
    made.append(_part(name, "waiting_inside", "line:runtime", work - running - wanting - collecting))
    for key in (beside.NAMES, beside.KEPT):
        # Whoever is asked, and who asks, keep it.
        made.append(_part(key, "waiting_inside", key, sums.get(key, 0.0)) | {"or": name})
    for key in ("pause", "block"):
        made.append(_part(name, "waiting_inside", key, sums.get(key, 0.0)))
    for key, ms in sums.items():
        if key.startswith(_LINES):
            made.append(_part(name, "waiting_inside", key, ms))
    rest = look.total_ms / requests - sum(ms for key, ms in sums.items() if is_part(key))
    # What is left is the server's own work, and waiting for a CPU or the loop between two steps.
    own = max(min(rest, kernel_ms - running), 0.0)
    made.append(_part(name, "running", "server", own))
    made.append(_part(name, "waiting_inside", "between", max(rest - own, 0.0)))
    # Files are written by a CPU, too: what neither the work nor the server had of it.
    disk = sums.get("disk", 0.0)
    wanted_ms = kernel.wanting * 1000 / requests if kernel else 0.0
    written = max(min(disk, kernel_ms - running - own), 0.0)
    waited = max(min(disk - written, wanted_ms - wanting), 0.0)
    made.append(_part(name, "running", "disk", written))
    made.append(_part(name, "cpu_wait", "disk", waited))
    made.append(_part(name, "disk", "disk", disk - written - waited))
    return made


def _wanting_ms(kernel, service: dict, requests: int) -> float:
    """How long its threads wanted a CPU. A thread that its group's quota holds up wants none, for the kernel."""
    if kernel is None or (service.get("quota") or _ROOMY_CPUS) < _ROOMY_CPUS:
        return float("inf")
    return kernel.wanting * 1000 / requests


def _doors(composition: dict, measured: Measured, requests: int, shares: dict) -> list[dict]:
    """What passes between a caller's sending and the service's taking it up: in line at its door."""
    made = []
    first = composition["services"][0]["name"]
    look = measured.services[first]
    before = measured.mean_ms - look.total_ms / look.requests
    door = _part(first, "waiting_inside", "door", before)
    # What stands in front keeps no truth of its own.
    made.append(door | ({"or": front.NAME} if composition.get("front") else {}))
    for caller in composition["services"]:
        asked = measured.services.get(caller["name"])
        for key, each in caller["neighbours"].items():
            asked_of = measured.services.get(each["service"])
            if asked and asked_of:
                called = asked.sums.get(f"call:{key}", 0.0) * shares[caller["name"]]
                waited = called - asked_of.total_ms * shares[each["service"]]
                part = _part(each["service"], "waiting_inside", "door", waited / requests)
                # A caller that is held up is as long in sending and in taking what came.
                made.append(part | {"or": caller["name"]})
    return made


def _stores(composition: dict, measured: Measured, requests: int, shares: dict) -> list[dict]:
    """The time in stores: as far as they were on a CPU, and the rest."""
    made = []
    for name, store in composition["stores"].items():
        key = "cache" if store["kind"] == "redis" else "db"
        of_all = [look.sums.get(key, 0.0) * shares[of] for of, look in measured.services.items()]
        waited = sum(of_all) / requests
        kernel = measured.kernel.get(name)
        running = min(waited, kernel.running * 1000 / requests) if kernel else 0.0
        wanting = min(waited - running, kernel.wanting * 1000 / requests) if kernel else 0.0
        made.append(_part(name, "running", key, running))
        made.append(_part(name, "cpu_wait", key, wanting))
        made.append(_part(name, "waiting_inside", key, waited - running - wanting))
    return made


def by_kind(found: list[dict]) -> dict[str, float]:
    """The sum of each kind, in ms."""
    sums: dict[str, float] = {}
    for each in found:
        sums[each["kind"]] = sums.get(each["kind"], 0.0) + each["ms"]
    return {key: round(value, 2) for key, value in sums.items()}


def largest_keeper(found: list[dict]) -> tuple[str, str] | None:
    """Who keeps most of the time, and as what kind."""
    sums: dict[tuple[str, str], float] = {}
    for each in found:
        key = (each["keeper"], each["kind"])
        sums[key] = sums.get(key, 0.0) + each["ms"]
    return max(sums, key=sums.get) if sums else None
