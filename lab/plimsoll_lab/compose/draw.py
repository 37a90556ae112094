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


def draw(
    seed: int, available: list[str] | None = None, only: tuple[str, str] | None = None
) -> dict:
    """The composition of that seed. `only`: one service of this runtime, limited by this primitive."""
    here = sorted(available if available is not None else runtimes.available())
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
        draft.services.append(
            Service(draft.names.next(), f"/{draft.names.word()}s", runtime, place)
        )
    fan_out = count >= 3 and source.random() < 0.4
    for place, each in enumerate(draft.services[1:], 1):
        caller = draft.services[0 if fan_out else place - 1]
        caller.neighbours[each.name] = {"service": each.name, "path": each.path, "max": 0}
        step: dict[str, object] = {"do": "call", "name": each.name}
        if not only and source.random() < 0.15:
            step["share"] = 0.7  # some responses come from the caller's own store
        caller.core.append(step)
    return f"{'fan-out' if fan_out else 'chain'} of {count}" if count > 1 else "one service"


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
    if redis and ("redis" in wants or not only and source.random() < 0.25):
        found[draft.names.word()] = {"kind": "redis"}
    return found


def _timing(draft: Draft, front: bool) -> None:
    """How long the leaves take, so that the services have CPU to spare without what limits."""
    cpu_ms = sum(each.runtime.request_cpu_ms for each in draft.services) + (0.15 if front else 0)
    least_ms = draft.users * cpu_ms / _CPU_PER_S
    leaves = [each for each in draft.services if each.is_leaf]
    pause_ms = max(draft.pick(40, 80), least_ms) / len(leaves)
    for each in leaves:
        each.core.append({"do": "pause", "ms": round(pause_ms, 1)})
    draft.base_ms = pause_ms * len(leaves) + cpu_ms
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


def _say(shape: str, front: bool, draft: Draft) -> str:
    parts = [shape]
    if front:
        parts.append("nginx in front")
    parts += [each["kind"] for each in draft.stores.values()]
    return ", ".join(parts)
