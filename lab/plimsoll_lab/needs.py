"""Whether a case can run here, and why not."""

import os

from . import shares, tiers
from .casefile import HOST, Case
from .tiers.base import find_program
from .tiers.nginx import has_lua


def missing(case: Case) -> list[str]:
    """What this machine lacks for the case; empty if it can run."""
    found = [
        each for tier in case.tiers for each in tiers.missing(tier.kind, tier.jdk, tier.server)
    ]
    needs = list(case.needs) + (["namespace"] if case.netns or _away(case) else [])
    found += [lack for need in needs for lack in _lacks(need)]
    return sorted(set(found))


def _away(case: Case) -> bool:
    return case.load.netns != HOST or any(tier.netns != HOST for tier in case.tiers)


def _lacks(need: str) -> list[str]:
    match need:
        case "root":
            return [] if os.geteuid() == 0 else ["root"]
        case "namespace":
            programs = [each for each in ("ip", "tc") if not find_program(each)]
            return (["root"] if os.geteuid() != 0 else []) + programs
        case "cgroup":
            return (
                [] if shares.mechanism() != "affinity" else ["control groups that can be written"]
            )
        case "lua":
            return [] if has_lua() else ["nginx's Lua module"]
        case "cores-4":
            have = len(shares.allowed_cpus())
            return [] if have >= 4 else [f"4 CPUs (here are {have})"]
    return [f"'{need}', which is not known"]
