"""Judges a diagnosis by a case's truth: pure functions over plain data, no servers.

A diagnosis is what `plimsoll diagnose --json` prints; a recording is what `evidence` wrote.
"""

import re
from dataclasses import dataclass

NONE = "none"
"""The truth of a system with nothing to find."""
_TOP = 3
_HINT = "hint"
_CAUSE = "cause"
_RESOURCE = "resource"
_QUOTA = "cpu quota"
# What a tier is known by must stand in the object itself: evidence names neighbours, too.
_BY_TIER = (
    "thread_pool",
    "connector",
    "listen_socket",
    "proxy",
    "database",
    "process",
    "host",
    "hop",
    "connection_pool",
    "link",
)


@dataclass
class Verdict:
    """What a diagnosis is worth, held against the truth; None: not to be judged."""

    case: str
    seed: int
    wanted: str
    """The finding, or both, that should be told."""
    first: str
    """What the faulty system's diagnosis says first; in parentheses if it is a hint."""
    top1: bool | None = None
    """The right finding first, as what limits and no mere hint, with the right object."""
    top3: bool | None = None
    """The right findings among the first three, with the right objects."""
    object: bool | None = None
    """Whether the right finding, where it was told at all, names the right object."""
    cured: bool | None = None
    """Whether it is gone from what limits the cured system; None if it was never told."""
    after: str = ""
    """What the cured system's diagnosis says first."""
    false_alarms: int | None = None
    """Causes told of healthy systems; None where the system is not healthy."""
    seconds: float | None = None
    """What the longer of both diagnoses took."""
    counts: bool = True
    """Whether the case can be shown at all on this kind of machine."""
    errors: tuple[str, ...] = ()
    """Diagnoses that could not be made."""


def judge(recording: dict, faulty: dict | None, cured: dict | None) -> Verdict:
    """Holds the diagnoses of both states against the recording's truth; None: there is none."""
    wanted = truths(recording)
    verdict = Verdict(
        case=recording["case"],
        seed=recording["seed"],
        wanted=" + ".join(each["finding"] for each in wanted),
        first=_first(faulty),
        after=_first(cured),
        counts=recording.get("provable", True),
    )
    healthy = wanted[0]["finding"] == NONE
    if faulty is not None:
        found = findings(faulty)
        if healthy:
            verdict.top1 = verdict.top3 = not causes(faulty) and _is_well(faulty)
        else:
            places = [_place(each, found, recording, "faulty") for each in wanted]
            verdict.top1 = places[0] == 0 and found[0].get("layer") != _HINT
            verdict.top3 = all(each is not None and each < _TOP for each in places)
            verdict.object = _objects(wanted, found, recording, "faulty")
    if recording.get("control") or healthy:
        known = {each["finding"] for each in wanted}
        told = [each for one in (faulty, cured) if one is not None for each in causes(one)]
        verdict.false_alarms = sum(each["id"] not in known for each in told)
    elif cured is not None:
        verdict.cured = _is_gone(wanted, faulty, cured)
    if recording.get("control") and _is_generator(wanted[0]) and cured is not None:
        verdict.cured = _is_gone(wanted, faulty, cured)
    return verdict


def _is_gone(wanted: list[dict], faulty: dict | None, cured: dict) -> bool | None:
    """Whether nothing of the truth limits the cured system; None if it was never told."""
    ids = {each["finding"] for each in wanted}
    if faulty is not None and not any(each["id"] in ids for each in findings(faulty)):
        return None
    return not any(each["id"] in ids for each in limiting(cured))


def truths(recording: dict) -> list[dict]:
    """The truth; where there are two faults, what limits first stands first."""
    return [each for each in (recording["truth"], recording.get("second")) if each]


def findings(diagnosis: dict) -> list[dict]:
    """By rank."""
    return sorted(diagnosis.get("findings", []), key=lambda each: each.get("rank", 0))


def limiting(diagnosis: dict) -> list[dict]:
    """Findings that are said to limit; neither hints nor things that do useful work."""
    return [
        each
        for each in findings(diagnosis)
        if each.get("layer") != _HINT and not each.get("healthy") and not _is_own_quota(each)
    ]


def _is_own_quota(finding: dict) -> bool:
    """A CPU quota that is used up. Each tier has one from the lab, in place of a machine of that size: here it is what
    the CPUs of a machine are that do useful work."""
    settings = [each.get("setting") for each in finding.get("advice", [])]
    return finding.get("layer") == _RESOURCE and _QUOTA in settings


def causes(diagnosis: dict) -> list[dict]:
    """Findings that name a fault of the target."""
    return [each for each in limiting(diagnosis) if each.get("layer") == _CAUSE]


def _is_well(diagnosis: dict) -> bool:
    outcome = diagnosis.get("outcome")
    return outcome in ("healthy", "nothing") or outcome == "found" and not limiting(diagnosis)


def _is_generator(truth: dict) -> bool:
    return truth["object"]["kind"] == "generator"


def _first(diagnosis: dict | None) -> str:
    if diagnosis is None:
        return "-"
    told = findings(diagnosis)
    if not told:
        return str(diagnosis.get("outcome", "-"))
    name = told[0]["id"]
    if told[0].get("layer") == _HINT:
        return f"({name})"
    return f"{name}, healthy" if told[0].get("healthy") else name


def _place(truth: dict, found: list[dict], recording: dict, state: str) -> int | None:
    """Where the right finding with the right object stands."""
    for place, each in enumerate(found):
        if each["id"] == truth["finding"] and names(each, truth, recording, state):
            return place
    return None


def _objects(
    wanted: list[dict], found: list[dict], recording: dict, state: str
) -> bool | None:
    """Whether every right finding that was told names its object; None if none was told."""
    told = []
    for truth in wanted:
        same = [each for each in found if each["id"] == truth["finding"]]
        if same:
            told.append(any(names(each, truth, recording, state) for each in same))
    return all(told) if told else None


def names(finding: dict, truth: dict, recording: dict, state: str) -> bool:
    """Whether a finding names the truth's object, or the very place in the code."""
    thing = truth["object"]
    if thing["kind"] in (NONE, "generator"):
        return thing["kind"] == NONE or finding["object"].get("kind") == "generator"
    name = str(thing["name"])  # a port is a number
    told = str(finding["object"].get("name", ""))
    everything = "\n".join([told, *_texts(finding)])
    if truth.get("where") and _has_name(everything, truth["where"]):
        return True
    if thing["kind"] not in _BY_TIER:
        return _has_name(everything, name)
    if thing["kind"] == "link":
        return any(_has_word(told, each) for each in _link(recording, name))
    if not _tier(recording, state, name) and _has_word(told, name):
        return True
    return any(
        re.search(mark, told)
        for each in (truth.get("tier"), name)
        if each and (tier := _tier(recording, state, each))
        for mark in marks(tier)
    )


def _texts(finding: dict) -> list[str]:
    found = []
    for each in finding.get("evidence", []):
        found += [str(each.get("text", "")), *map(str, each.get("lines") or [])]
    return found


def _has_name(text: str, name: str) -> bool:
    """A name as it is, or without its packages: `Class.method` of `com.x.Class.method`."""
    parts = name.split(".")
    start = next((at for at, part in enumerate(parts) if part[:1].isupper()), None)
    short = ".".join(parts[start:]) if start is not None and "/" not in name else name
    return _has_word(text, name) or _has_word(text, short)


def _has_word(text: str, word: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE))


def _tier(recording: dict, state: str, name: str) -> dict | None:
    tiers = recording["states"][state]["tiers"]
    return next((each for each in tiers if each["name"] == name), None)


def marks(tier: dict) -> list[str]:
    """What a process is known by: its ports (`java[8080]`, `127.0.0.1:8080`) or its id."""
    ports = [rf"[\[:-]{port}(?!\d)" for port in tier["ports"].values()]
    return [*ports, rf"\bpid[ :=]{tier['pid']}(?!\d)", rf"\[{tier['pid']}\]"]


def _link(recording: dict, end: str) -> list[str]:
    """Devices and addresses at both ends of the links that end there."""
    return [
        each[key]
        for link in recording.get("links", [])
        if any(side["netns"] == end for side in link["ends"])
        for each in link["ends"]
        for key in ("device", "address")
    ]
