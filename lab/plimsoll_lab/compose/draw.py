"""Draws a composition from a seed. The same seed gives the same on machines with the same runtimes."""

import random

from . import primitives, runtimes, stores
from .draft import Draft, Service
from .names import Names
from .primitives.base import Primitive

FORMAT = 1
UNSEEN_FROM = 1000
"""Seeds from here on are for judging rules, those below for writing them."""
_DATABASES = ("mariadb", "postgresql")
_CPU_PER_S = 0.7
"""CPUs that services may use without what limits: the generator and the watching want some, too."""
_MAX_CANDIDATES = 4
_CALLS = ("call", "leave")
_JOBS = 0.25
"""So often the last service is given jobs, where that is possible."""


def draw(
    seed: int, available: list[str] | None = None, only: tuple[str, str] | None = None
) -> dict:
    """The composition of that seed. `only`: one service of this runtime, limited by this primitive."""
    able = available if available is not None else runtimes.available()
    here = sorted(each for each in able if not runtimes.find(each).takes_jobs)
    source = random.Random(f"compose/{seed}")
    names = Names(source)
    draft = Draft(source, names, source.randint(8, 16), 0.0, round(source.uniform(2.6, 4.0), 2))
    shape = _shape(draft, here, only)
    draft.stores = _stores(draft, only)
    # What is behind an nginx of its own has one in front already.
    front = not only and draft.services[0].runtime.speaks == "http" and source.random() < 0.35
    _timing(draft, front)
    wanted = _limits(draft, only)
    for primitive, service in wanted:
        primitive.limit(draft, service)
        service.used.add(primitive.id)
    _beside(draft)
    _at_once(draft)
    return {
        "format": FORMAT,
        "seed": seed,
        "topology": _say(shape, front, draft),
        "services": [each.facts() for each in draft.services],
        "front": {"workers": 1} if front else None,
        "stores": draft.stores,
        "load": {"users": draft.users, "think_ms": draft.think_ms},
        "expected_per_s": round(draft.limit_per_s, 1),
        "candidates": draft.candidates,
    }


def _shape(draft: Draft, here: list[str], only: tuple[str, str] | None) -> str:
    """Makes the services and connects them."""
    source = draft.source
    count = 1 if only else source.choice((1, 1, 2, 2, 2, 3, 3, 4))
    if only and primitives.find(only[1]).wants_neighbour:
        count = 2
    for place in range(count):
        runtime = runtimes.find(only[0] if only and place == 0 else _runtime(source, here))
        if place and place == count - 1 and not only and _may_leave(draft, here):
            draft.leaves_jobs = source.random() < _JOBS
            runtime = runtimes.find("go-jobs") if draft.leaves_jobs else runtime
        draft.services.append(
            Service(draft.names.next(), f"/{draft.names.word()}s", runtime, place)
        )
    fan_out = count >= 3 and source.random() < 0.4
    able = "together" in draft.services[0].runtime.abilities
    draft.at_once = fan_out and able and source.random() < 0.5
    for place, each in enumerate(draft.services[1:], 1):
        caller = draft.services[0 if fan_out else place - 1]
        caller.neighbours[each.name] = {"service": each.name, "path": each.path, "max": 0}
        step: dict[str, object] = {"do": "call", "name": each.name}
        if each.runtime.takes_jobs:
            caller.neighbours[each.name]["jobs"] = True
            step["do"] = "leave"
        elif not only and source.random() < 0.15:
            step["share"] = 0.7  # some responses come from the caller's own store
        caller.core.append(step)
    if count == 1:
        return "one service"
    kind = "fan-out" if fan_out else "chain"
    return f"{kind} at once of {count}" if draft.at_once else f"{kind} of {count}"


def _may_leave(draft: Draft, here: list[str]) -> bool:
    """Whether whoever calls the last service can leave jobs, and there is something to leave them in."""
    if "go" not in here:
        return False
    able = all("leave" in each.runtime.abilities for each in draft.services)
    return able and "redis" in stores.available()


def _runtime(source: random.Random, here: list[str]) -> str:
    """Each language as often as another, however many servers it has."""
    language = source.choice(sorted({each.partition("-")[0] for each in here}))
    return source.choice([each for each in here if each.partition("-")[0] == language])


def _stores(draft: Draft, only: tuple[str, str] | None) -> dict[str, dict]:
    """The database and the cache, drawn; what a primitive cannot do without is there."""
    source = draft.source
    wants = primitives.find(only[1]).wants_store if only else ()
    found: dict[str, dict] = {}
    databases = [each for each in _DATABASES if each in stores.available()]
    if databases and (set(wants) & set(_DATABASES) or not only and source.random() < 0.55):
        found[draft.names.word()] = {
            "kind": source.choice(databases),
            "table": f"{draft.names.word()}_{source.choice(('item', 'line', 'entry'))}",
            "rows": source.choice((60_000, 100_000)),
            "indexed": False,
        }
    redis = "redis" in stores.available()
    if redis and ("redis" in wants or draft.leaves_jobs or not only and source.random() < 0.25):
        found[draft.names.word()] = {"kind": "redis"}
    return found


def _timing(draft: Draft, front: bool) -> None:
    """How long the leaves take, so that the services have CPU to spare without what limits."""
    cpu_ms = sum(each.runtime.request_cpu_ms for each in draft.services) + (0.15 if front else 0)
    least_ms = draft.users * cpu_ms / _CPU_PER_S
    leaves = [each for each in draft.services if each.is_leaf]
    in_line = 1 if draft.at_once else len(leaves)
    pause_ms = max(draft.pick(40, 80), least_ms) / in_line
    for each in leaves:
        each.core.append({"do": "pause", "ms": round(pause_ms, 1)})
    draft.base_ms = pause_ms * in_line + cpu_ms
    for each in draft.services:
        if each.runtime.has_threads:
            each.threads = each.runtime.spare_threads(draft.users)
        each.before.append({"do": "work", "how": "json", "rounds": draft.source.randint(1, 2)})
        each.after.append({"do": "body", "bytes": draft.source.choice((200, 900, 2500))})


def _limits(draft: Draft, only: tuple[str, str] | None) -> list[tuple[Primitive, Service]]:
    """What is made to limit, and where; mostly one thing, sometimes two or nothing."""
    if only:
        return [(primitives.find(only[1]), draft.services[0])]
    if draft.source.random() < 0.06:
        draft.think_ms = round(draft.base_ms * 4)
        return []
    # By primitive first, so that the rarely possible ones are not drowned by the others.
    possible = [
        (primitive, [each for each in draft.services if primitive.fits(draft, each)])
        for primitive in primitives.ALL
    ]
    possible = [(primitive, where) for primitive, where in possible if where]
    primitive, where = draft.source.choice(possible)
    found = [(primitive, draft.source.choice(where))]
    if draft.source.random() < 0.12:
        primitive, where = draft.source.choice(possible)
        service = draft.source.choice(where)
        if primitive.id != found[0][0].id and primitive.group != found[0][0].group:
            found.append((primitive, service))
    return found


def _beside(draft: Draft) -> None:
    """What could limit and does not: it is there, with room to spare."""
    possible = [
        (primitive, service)
        for primitive in primitives.ALL
        for service in draft.services
        if primitive.can_spare and primitive.fits(draft, service)
    ]
    draft.source.shuffle(possible)
    wanted = draft.source.randint(1, 2)
    groups = {primitives.find(each["primitive"]).group for each in draft.candidates}
    for primitive, service in possible:
        if wanted == 0 or len(draft.candidates) >= _MAX_CANDIDATES:
            return
        if primitive.id in service.used or primitive.group in groups:
            continue
        primitive.spare(draft, service)
        service.used.add(primitive.id)
        groups.add(primitive.group)
        wanted -= 1


def _at_once(draft: Draft) -> None:
    """The calls of the first service as one step, wherever they stand."""
    first = draft.services[0]
    if draft.at_once:
        first.core = _gathered(first.core)


def _gathered(steps: list[dict]) -> list[dict]:
    calls = [each for each in steps if each["do"] in _CALLS]
    others = [
        each | {"steps": _gathered(each["steps"])} if "steps" in each else each
        for each in steps
        if each["do"] not in _CALLS
    ]
    return [{"do": "together", "steps": calls}, *others] if len(calls) > 1 else [*calls, *others]


def _say(shape: str, front: bool, draft: Draft) -> str:
    parts = [f"{shape}, jobs" if draft.leaves_jobs else shape]
    if front:
        parts.append("nginx in front")
    parts += [each["kind"] for each in draft.stores.values()]
    return ", ".join(parts)
