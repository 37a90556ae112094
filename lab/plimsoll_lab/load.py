"""The load of a case: a plan for plimsoll, made from [load], and its run in its own share."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from . import network, paths, shares
from .errors import LabError
from .instance import Instance


def plan(values: dict[str, object], case: str, url: str) -> dict[str, object]:
    """The plan (YAML is a superset of JSON)."""

    def time(key: str, unit: str = "s") -> str | None:
        return None if values.get(key) is None else f"{values[key]:g}{unit}"

    warm_up_s = values.get("warm_up_s") or 0
    request: dict[str, object] = {
        str(values.get("method") or "GET").lower(): values.get("path") or "/",
        "label": case,
    }
    headers = dict(values.get("headers") or {})
    if values.get("content_type"):
        headers["Content-Type"] = values["content_type"]
    if values.get("body") is not None:
        request["body"] = values["body"]
    check: dict[str, object] = {"status": int(values.get("status") or 200)}
    if values.get("limit_ms"):
        check["time"] = time("limit_ms", "ms")
    steps: list[dict] = [{"rendezvous": "all"}] if values.get("in_step") else []
    made = {
        "name": case,
        "target": url,
        "users": values.get("users"),
        "rate": None if values.get("rate") is None else f"{values['rate']:g}/s",
        "max-in-flight": values.get("max_in_flight"),
        "ramp-up": time("ramp_up_s"),
        "warm-up": f"{warm_up_s:g}s",
        "duration": f"{values['duration_s'] + warm_up_s:g}s",
        "grace": "1s",
        "timeout": time("timeout_s") or "10s",
        "connect-timeout": time("timeout_s") or "10s",
        "keep-alive": values.get("connections") != "short",
        "cookies": "off" if values.get("cookies") is False else None,
        "compression": True if values.get("compression") else None,
        "headers": headers or None,
        "think": time("think_ms", "ms"),
        "check": check,
        "steps": [*steps, request],
    }
    return {key: value for key, value in made.items() if value is not None}


def write_plan(instance: Instance, hop: str | None = None) -> Path:
    """plan.yaml of the instance, for its state as it is now; or the plan for one of its hops."""
    facts = instance.facts["load"]
    tier = instance.tier(hop or facts["tier"])
    values, port = facts["values"], facts["port"]
    if hop:
        if hop not in facts["hops"]:
            raise LabError(
                f"'{hop}' cannot be loaded alone; what can: {', '.join(facts['hops']) or 'nothing'}"
            )
        values, port = {**values, "path": facts["hops"][hop]}, None
    file = instance.directory / (f"plan-{hop}.yaml" if hop else "plan.yaml")
    url = f"http://{tier['host']}:{tier['ports'][port]}" if port else tier["url"]
    text = json.dumps(plan(values, instance.facts["case"], url), indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")
    return file


def prefix(instance: Instance) -> list[str]:
    """What to put before a command line that is to run where the generator belongs."""
    path = instance.facts["load"]["netns"]
    return ["nsenter", f"--net={path}"] if path else []


def generator() -> Path:
    """The load generator, which must have been built."""
    program = paths.plimsoll()
    if not os.access(program, os.X_OK):
        raise LabError(f"{program} is not there: run make build, or set PLIMSOLL")
    return program


def command(instance: Instance, more: list[str], hop: str | None = None) -> list[str]:
    """The command line of the load."""
    threads = instance.facts["load"]["values"].get("threads")
    return [
        str(generator()),
        "run",
        str(write_plan(instance, hop)),
        *(["--threads", str(threads)] if threads else []),
        *more,
    ]


def place(instance: Instance) -> Callable[[], None]:
    """What the generator's process does first: it enters its share."""
    share = instance.facts["load"]["share"]
    return lambda: shares.join(share)


def start(
    instance: Instance, more: list[str], hop: str | None = None, **options: object
) -> subprocess.Popen:
    """Starts the load in its namespace and share."""
    argv = command(instance, more, hop)
    with network.entered(instance.facts["load"]["netns"]):
        return subprocess.Popen(argv, preexec_fn=place(instance), **options)


def run(instance: Instance, more: list[str], hop: str | None) -> int:
    """Runs the load in sight of the user; the exit code is plimsoll's."""
    child = start(instance, ["--out", str(instance.directory / "runs"), *more], hop)
    try:
        return child.wait()
    except KeyboardInterrupt:
        return child.wait()
