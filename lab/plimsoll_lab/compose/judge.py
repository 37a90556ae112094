"""Judges a diagnosis by what was measured of a composition: pure functions over plain data."""

import re
from dataclasses import dataclass, field

from .. import judge
from . import primitives, truth

_KINDS: dict[str, frozenset[str]] = {
    kind: frozenset(ids.split())
    for kind, ids in {
        "running": "cpu hot_code single_thread database_cpu proxy_cpu cache_cpu full_scan "
        "slow_statement many_queries many_round_trips many_calls call_connections slow_command gc_pauses heap_full "
        "child_processes new_threads log_level known_work",
        "cpu_wait": "cpu cpu_taken cpu_shared cpu_stolen host_cpu",
        "disk": "disk_busy log_appender many_commits",
        "waiting_inside": "concurrency_limit event_loop_blocked semaphore lock object_pool connection_pool outgoing_pool worker_threads "
        "task_threads full_queue accept_queue row_locks table_locks max_connections own_wait "
        "single_thread rate_limit rate_limit_delay queue_workers held_row_locks",
        "accept_queue": "accept_queue worker_threads",
        "waiting_for": "waits_elsewhere slow_dependency slow_database slow_statement own_wait many_queries "
        "many_round_trips many_calls call_connections name_lookups hop_latency calls_in_series",
        "garbage_collection": "gc_pauses heap_full",
        "network": "network_full packet_loss network_delay",
    }.items()
}
"""Which findings say that the time is kept in that way, where there is no account."""
_INSIDE = frozenset(
    "method thread_pool event_loop connection_pool class threads semaphore monitor reentrant_lock logger lock "
    "library".split()
)
"""Kinds of things that are in a process of their host."""
_WELL = ("healthy", "nothing")
_TOP = 3
_LIFTS = 1.1
"""A cure that raises the throughput by less brings nothing."""
_LESS = 0.5
NOTHING = "nothing"


@dataclass
class Verdict:
    """What a diagnosis is worth; None: not to be judged."""

    seed: int | str
    primitive: str
    """What limits most, as measured, or `nothing`."""
    runtime: str
    topology: str
    said: str
    """What the faulty system's diagnosis says first, or its outcome."""
    beside: bool = False
    """Whether an unrelated load went on beside it."""
    counts: bool = True
    """False where it was not recorded, or what limits was not measured as clearly as meant."""
    process: bool | None = None
    kind: bool | None = None
    finding: bool | None = None
    first_three: bool | None = None
    """Whether one of the first three findings is of the process, and of the thing or the way."""
    object: bool | None = None
    """Whether the finding of the thing, where it is told at all, has that process for its object."""
    gone: bool | None = None
    """Whether the right finding, once told, is gone from the cured system."""
    less: bool | None = None
    """Whether it is gone, or told only as where the time goes, of half as much or less."""
    lifts: bool | None = None
    """Whether what is said first is of something whose cure was measured to raise the throughput."""
    false_nothing: bool = False
    insufficient: bool = False
    false_alarm: bool | None = None
    """Of a system that nothing limits: whether a cause is told all the same."""
    measured_share: float | None = None
    misplaced: float | None = None
    """The share of the response time that the account gives to other places than the truth."""
    worst_part: float | None = None
    """By how much of the response time the worst part of the account is off."""
    errors: list[str] = field(default_factory=list)

    @property
    def right(self) -> bool | None:
        """All of it: the process, and the way or the very thing."""
        if self.primitive == NOTHING:
            return None if self.false_alarm is None else not self.false_alarm
        if self.process is None:
            return None
        return self.process and bool(self.finding or self.kind)


def verdict(recording: dict, faulty: dict | None, cured: dict | None) -> Verdict:
    """Holds the diagnoses of both states against what was measured."""
    faulty, cured = _of_one(recording, "faulty", faulty), _of_one(recording, "cured", cured)
    limits = limiting(recording)
    first = limits[0] if limits else None
    made = Verdict(
        seed=recording["seed"],
        primitive=first["primitive"] if first else NOTHING,
        runtime=_runtime(recording, first),
        topology=shape(recording["topology"]),
        said=_said(faulty),
        beside=bool(recording.get("beside")),
        counts="error" not in recording and recording.get("as_intended", False),
    )
    if faulty is None:
        return made
    made.insufficient = faulty.get("outcome") == "insufficient"
    _account(made, recording, faulty)
    if first is None:
        made.false_alarm = bool(judge.causes(faulty))
        return made
    told = _told(faulty)
    made.false_nothing = not told and faulty.get("outcome") in _WELL
    tiers = recording["states"]["faulty"]["tiers"]
    account = faulty.get("account") or {}
    made.process = any(
        _names(told, account, _tier(tiers, name)) for each in limits for name in each["keepers"]
    )
    made.kind = any(_is_kind(told, account, each["keeping"]) for each in limits)
    known = {name for each in limits for name in primitives.find(each["primitive"]).findings}
    made.finding = bool(told) and told[0]["id"] in known
    keepers = [_tier(tiers, name) for each in limits for name in each["keepers"]]
    ways = [way for each in limits for way in each["keeping"]]
    made.first_three = any(
        (each["id"] in known or _is_way(each, ways)) and any(_is_named(each, tier) for tier in keepers)
        for each in judge.findings(faulty)[:_TOP]
    )
    made.lifts = any(_is_of(told, each, tiers) for each in _lifting(recording))
    right = [each for each in told if each["id"] in known]
    if right:
        made.object = any(_is_object(right[0], tier) for tier in keepers)
    if cured is not None and right:
        after = recording["states"]["cured"]["tiers"]
        keepers = [_tier(after, name) for each in limits for name in each["keepers"]]
        left = [
            each
            for each in _told(cured)
            if each["id"] in known and any(_is_named(each, tier) for tier in keepers)
        ]
        made.gone = not left
        before = _told_ms(right[0], faulty)
        made.less = all(each["healthy"] and _told_ms(each, cured) <= _LESS * before for each in left)
    return made


def _lifting(recording: dict) -> list[dict]:
    """The candidates whose cure alone raises the throughput, whether it was meant to or not."""
    gains = {each["id"]: each["gain"] for each in recording.get("cures", [])}
    limits = recording.get("limiting", [])
    candidates = recording.get("candidates", [])
    return [each for each in candidates if each["id"] in limits or gains.get(each["id"], 0) >= _LIFTS]


def _is_of(told: list[dict], candidate: dict, tiers: list[dict]) -> bool:
    """Whether what is said first is of that candidate."""
    known = primitives.find(candidate["primitive"]).findings
    keepers = [_tier(tiers, name) for name in candidate["keepers"]]
    return bool(told) and told[0]["id"] in known and any(_is_named(told[0], each) for each in keepers)


def _told_ms(finding: dict, diagnosis: dict) -> float:
    """The time of a request that a finding explains."""
    whole = (diagnosis.get("account") or {}).get("response_ms", 1.0)
    return (finding.get("explains") or {}).get("share", 1.0) * whole


def _of_one(recording: dict, state: str, diagnosis: dict | None) -> dict | None:
    """A diagnosis leaves out whose a thing is where there is but one process: the only service's, then."""
    services = [each["name"] for each in recording.get("services", [])]
    tiers = recording.get("states", {}).get(state, {}).get("tiers", [])
    own = next((each for each in tiers if [each["name"]] == services), None)
    if diagnosis is None or own is None:
        return diagnosis
    process = f"[{next(iter(own['ports'].values()))}]"
    findings = []
    for each in diagnosis.get("findings", []):
        thing = each["object"]
        missing = not thing.get("process") and thing["kind"] in _INSIDE
        findings.append(each | {"object": thing | {"process": process}} if missing else each)
    return diagnosis | {"findings": findings}


def _told(diagnosis: dict) -> list[dict]:
    """What is said to limit; a process that is short of CPU may well do useful work."""
    return [each for each in judge.findings(diagnosis) if each.get("layer") != "hint"]


def limiting(recording: dict) -> list[dict]:
    """The candidates that limit as measured, the greatest gain first."""
    by_id = {each["id"]: each for each in recording.get("candidates", [])}
    return [by_id[each] for each in recording.get("limiting", [])]


def _runtime(recording: dict, first: dict | None) -> str:
    services = {each["name"]: each["runtime"] for each in recording.get("services", [])}
    if first:
        return services[first["service"]]
    return next(iter(services.values()), "-")


def shape(topology: str) -> str:
    """Its shape, whether the last service is given jobs, and what stands in front."""
    kind = re.match(r"(one service|chain|fan-out at once|fan-out)", topology)
    front = re.search(r"(\w+) in front", topology)
    parts = [kind[1] if kind else topology]
    parts += ["jobs"] if ", jobs" in topology else []
    parts += [f"{front[1]} in front"] if front else []
    return ", ".join(parts)


def _said(diagnosis: dict | None) -> str:
    if diagnosis is None:
        return "-"
    told = judge.findings(diagnosis)
    if not told:
        return str(diagnosis.get("outcome", "-"))
    return f"({told[0]['id']})" if told[0].get("layer") == "hint" else told[0]["id"]


def _tier(tiers: list[dict], name: str) -> dict:
    return next(each for each in tiers if each["name"] == name)


def is_tier(text: str, tier: dict) -> bool:
    """Whether a text names that tier's process, by a port or its id."""
    return any(re.search(mark, text) for mark in judge.marks(tier))


def _names(told: list[dict], account: dict, tier: dict) -> bool:
    """Whether the first finding names the process in its object or evidence; without a finding,
    whether the account gives it most of the time, or a place that is full."""
    if told:
        return _is_named(told[0], tier)
    full = [each for each in account.get("plateaus", []) if each.get("deepest")]
    if full:
        return is_tier(full[0]["process"], tier)
    largest = _largest(account)
    return largest is not None and is_tier(largest.get("process", ""), tier)


def _is_named(finding: dict, tier: dict) -> bool:
    texts = [str(finding["object"].get(key, "")) for key in ("name", "process")]
    texts += [str(each.get("text", "")) for each in finding.get("evidence", [])]
    return is_tier("\n".join(texts), tier)


def _is_object(finding: dict, tier: dict) -> bool:
    thing = finding["object"]
    return is_tier(f"{thing.get('name', '')}\n{thing.get('process', '')}", tier)


def _is_way(finding: dict, keeping: list[str]) -> bool:
    return any(finding["id"] in _KINDS.get(each, ()) for each in keeping)


def _largest(account: dict) -> dict | None:
    parts = [each for each in account.get("parts", []) if each["kind"] != "unaccounted"]
    return max(parts, key=lambda each: each["ms"], default=None)


def _is_kind(told: list[dict], account: dict, keeping: list[str]) -> bool:
    """Whether the first finding says that, or else the largest part of the account."""
    if told and _is_way(told[0], keeping):
        return True
    largest = _largest(account)
    return largest is not None and largest["kind"] in keeping


def _account(made: Verdict, recording: dict, diagnosis: dict) -> None:
    """Holds the account's parts against the services' own truth, place by place."""
    account = diagnosis.get("account")
    state = recording["states"].get("faulty", {})
    if not account or not account.get("response_ms") or not state.get("parts"):
        return
    whole = account["response_ms"]
    measured = sum(each["ms"] for each in account["parts"] if each["kind"] != "unaccounted")
    made.measured_share = round(measured / whole, 3)
    said: dict[tuple[str, str], float] = {}
    for each in account["parts"]:
        process = each.get("process", "")
        keeper = next(
            (tier["name"] for tier in state["tiers"] if process and is_tier(process, tier)), process
        )
        _add(said, (keeper, _merged(each["kind"])), each["ms"])
    doors = []
    for each in _parts(recording, state):
        if each["what"] == "door" or each.get("or"):
            doors.append(each)
        else:
            _add(said, (each["keeper"], _merged(each["kind"])), -each["ms"])
    _pass_doors(said, doors)
    made.misplaced = round(min(sum(max(each, 0.0) for each in said.values()) / whole, 1.0), 3)
    made.worst_part = round(max(map(abs, said.values()), default=0.0) / whole, 3)


def _parts(recording: dict, state: dict) -> list[dict]:
    """The truth. In recordings from before it told them, here: what transactions hold, and that a caller may
    be who keeps what passes at its neighbour's door."""
    parts = state["parts"]
    if not any(each["what"] == truth.HELD for each in parts) and "services" in state:
        counted = {name: each["requests"] for name, each in state["services"].items()}
        parts = truth.hold(recording, parts, counted)
    callers = {
        neighbour["service"]: service["name"]
        for service in recording["services"]
        for neighbour in service.get("neighbours", {}).values()
    }
    called = [each for each in parts if each["what"] == "door" and each["keeper"] in callers]
    for each in called:
        each["or"] = each.get("or") or callers[each["keeper"]]
    return parts


def _pass_doors(over: dict[tuple[str, str], float], doors: list[dict]) -> None:
    """Takes what passed at doors from what is said too much of some places, ms."""
    for door in doors:
        own = (door["keeper"], "waiting_inside")
        others = [key for key in over if key[0] in (door["keeper"], door.get("or"))]
        left = door["ms"]
        for key in sorted({own, *others}, key=lambda each: each != own):
            taken = min(left, max(over.get(key, 0.0), 0.0))
            over[key] = over.get(key, 0.0) - taken
            left -= taken
        over[own] -= left


def _add(sums: dict, key: tuple[str, str], ms: float) -> None:
    sums[key] = sums.get(key, 0.0) + ms


def _merged(kind: str) -> str:
    """A line before a process and one in it are one to the services, which cannot see the first."""
    return "waiting_inside" if kind == "accept_queue" else kind
