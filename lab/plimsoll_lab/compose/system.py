"""The processes of a composition: started in shares of their own, changed, ended."""

import contextlib
import copy
import datetime
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .. import engine, ports, process, shares
from ..casefile import HOST, Share, Tier
from ..errors import LabError
from ..instance import FORMAT, Instance
from ..seed import ports as port_order
from ..tiers.base import Kind, Place
from . import beside, front, runtimes, stores, wire
from .runtimes import php

_LOOPBACK = "127.0.0.1"
_MEMORY = Path("/dev/shm")
_WEB = "-web"
"""Behind the name of a service: the nginx before it, where it does not speak HTTP."""
_BESIDE = {
    beside.NAMES: beside.NameServer,
    beside.NEIGHBOUR: beside.Neighbour,
    beside.KEPT: beside.Memcached,
    beside.PARTITION: beside.Partition,
}
"""What is given its part of the composition as settings."""


@dataclass
class System:
    """A running composition. `records` is where services write what they spent their time on."""

    composition: dict
    running: Instance
    records: Path

    def tier(self, name: str) -> dict:
        """The facts of a tier."""
        return self.running.tier(name)

    def main(self, name: str) -> process.Process:
        """The first process of a tier."""
        facts = self.tier(name)
        return process.Process(facts["pid"], facts["start_time"])

    @property
    def entry(self) -> dict:
        """The tier that the load goes to."""
        return self.tier(front.NAME) if self.composition["front"] else self.door(self._first()["name"])

    def door(self, name: str) -> dict:
        """The tier at which others reach a service by HTTP."""
        runtime = runtimes.find(_service(self.composition, name)["runtime"])
        return self.tier(name if runtime.speaks == "http" else name + _WEB)

    def url(self) -> str:
        """Where the load goes."""
        return f"{self.entry['url']}{self._first()['path']}"

    def _first(self) -> dict:
        return self.composition["services"][0]


def patched(composition: dict, cure: dict) -> dict:
    """The composition with `{path: value}` applied; a path has slashes: services/0/quota."""
    made = copy.deepcopy(composition)
    for path, value in cure.items():
        *above, last = path.split("/")
        place = made
        for part in above:
            place = place[int(part) if isinstance(place, list) else part]
        place[int(last) if isinstance(place, list) else last] = value
    return made


@contextlib.contextmanager
def started(composition: dict, name: str, state: Path, say) -> Iterator[System]:
    """Starts all of it; ends it and removes what it made, whatever happens."""
    directory = state / name
    if directory.exists():
        raise LabError(f"{directory} is in the way: plimsoll-lab down {name} ends what runs there")
    directory.mkdir(parents=True)
    at = _MEMORY if _MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="t", dir=at) as records:
        system = System(composition, Instance(directory, {}), Path(records))
        # Servers that give up root must be able to write there.
        system.records.chmod(0o777)
        try:
            _describe(system)
            for each in system.running.facts["tiers"]:
                _start(system, each["name"])
            yield system
        finally:
            for each in composition["services"]:
                runtimes.find(each["runtime"]).end(system.tier(each["name"])["settings"])
            engine.down(system.running, say)


def _describe(system: System) -> None:
    """All that is known before anything runs: stores first, then services from the last on."""
    composition, running = system.composition, system.running
    wanted = [(wire.NAME, "wire", "")] if composition.get("wire") else []
    wanted += [(key, each["kind"], stores.PORT[each["kind"]]) for key, each in composition["stores"].items()]
    if composition.get("pooler"):
        wanted.append((beside.POOLER, "pgbouncer", "postgresql"))
    if composition.get("names"):
        wanted.append((beside.NAMES, "names", ""))
    if composition.get("kept"):
        wanted.append((beside.KEPT, "memcached", "memcached"))
    if composition.get("partition"):
        wanted.append((beside.PARTITION, "partition", ""))
    for each in reversed(composition["services"]):
        wanted.append((each["name"], each["runtime"], "http"))
        if runtimes.find(each["runtime"]).speaks != "http":
            wanted.append((each["name"] + _WEB, "nginx", "http"))
    if composition["front"]:
        wanted.append((front.NAME, front.kind(composition), "http"))
    if composition.get("neighbour"):
        wanted.append((beside.NEIGHBOUR, "neighbour", ""))
    chosen = iter(ports.choose(port_order(composition["seed"], "compose"), len(wanted)))
    running.facts.update(
        {
            "format": FORMAT,
            "name": running.name,
            "case": f"composition {composition['seed']}",
            "seed": composition["seed"],
            "state": "faulty",
            "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "tiers": [],
            "load": {"share": None, "netns": None},
        }
    )
    if composition.get("wire"):
        running.facts["network"] = wire.spaces(running.unique)
        running.facts["load"]["netns"] = wire.near(running.facts["network"])
        running.save()
        wire.create(running.facts["network"])
    unique = f"{running.name}-{running.unique}"
    for name, kind, port in wanted:
        running.facts["tiers"].append(
            {
                "name": name,
                "kind": kind,
                "pid": None,
                "start_time": None,
                "host": _LOOPBACK,
                "netns": running.facts["load"]["netns"],
                "ports": {port: next(chosen)} if port else {},
                "settings": {},
                "share": shares.create(unique, name, Share()),
                "directory": str(running.directory / name),
            }
        )
        if name == beside.NAMES:
            running.facts["tiers"][-1] |= beside.NAMES_AT
        if composition.get("wire") and _service(composition, name):
            running.facts["tiers"][-1] |= wire.far(running.facts["network"])
        running.save()
    running.facts["load"]["share"] = shares.create(unique, "generator", Share(), first=True)
    running.save()


def _service(composition: dict, name: str) -> dict | None:
    return next((each for each in composition["services"] if each["name"] == name), None)


def _quota(composition: dict, name: str) -> float | None:
    service = _service(composition, name)
    return service["quota"] if service else None


def _files(composition: dict, name: str) -> int | None:
    """The descriptors that a service may have; none: as many as the lab."""
    service = _service(composition, name)
    return service.get("files") if service else None


def _cpu(composition: dict, name: str) -> int | None:
    """The one CPU that the services and their neighbour may use; none: any."""
    is_there = name == beside.NEIGHBOUR or _service(composition, name)
    return composition.get("cpu") if is_there else None


def _kind(system: System, name: str) -> Kind:
    """What knows how to run the tier, with its settings as they are to be now."""
    facts = system.tier(name)
    service = _service(system.composition, name)
    if service:
        kind, settings, names = runtimes.find(service["runtime"]), _settings(system, service), {}
    elif name == front.NAME:
        kind, names = front.KINDS[facts["kind"]], {}
        settings = front.settings(system.composition, system.door)
    elif name == beside.POOLER:
        kind, names = beside.Pooler, {}
        store = system.tier(system.composition["pooler"]["store"])
        settings = {
            "places": system.composition["pooler"]["places"],
            "store_host": store["host"],
            "store_port": store["ports"]["postgresql"],
        }
    elif name == wire.NAME:
        kind, names = wire.Wire, {}
        settings = wire.settings(system.running.facts["network"], system.composition["wire"])
    elif name in _BESIDE:
        kind, names, settings = _BESIDE[name], {}, dict(system.composition[name])
    elif name.endswith(_WEB):
        behind = system.tier(name.removesuffix(_WEB))
        kind, names = php.Web, {}
        settings = {
            "behind": f"{behind['host']}:{behind['ports']['http']}",
            "settings": f"{behind['directory']}/conf.json",
        }
    else:
        kind = stores.KINDS[facts["kind"]]
        settings, names = stores.settings(system.composition["stores"][name])
    facts["settings"] = settings
    tier = Tier(
        name, facts["kind"], None, 17, [], HOST, Share(), settings, None, list(facts["ports"])
    )
    place = (Path(facts["directory"]), tier, settings, facts["host"], facts["ports"], facts["netns"])
    return kind(Place(*place, names))


def _settings(system: System, service: dict) -> dict:
    """The file that a service is started with."""
    facts = system.tier(service["name"])
    composition = system.composition
    neighbours = {}
    for key, each in service["neighbours"].items():
        url = f"{system.door(each['service'])['url']}{each['path']}"
        neighbours[key] = {"url": url, "max": each["max"], "jobs": _jobs(system, each)}
    return _beside(system) | {
        "name": service["name"],
        "host": facts["host"],
        "port": facts["ports"]["http"],
        "records": str(system.records),
        "directory": facts["directory"],
        "threads": service["threads"],
        "jobs": _jobs(system, *_taken(composition, service["name"])),
        "heap_mib": service.get("heap_mib"),
        "gates": service["gates"],
        "locks": service["locks"],
        "pools": service["pools"],
        "stores": {
            key: stores.address(_reached(system, key), each)
            for key, each in composition["stores"].items()
        },
        "neighbours": neighbours,
        "routes": resolved(service["routes"], service["values"]),
    }


def _taken(composition: dict, name: str) -> list[dict]:
    """How others ask a service."""
    all_ = (each for service in composition["services"] for each in service["neighbours"].values())
    return [each for each in all_ if each["service"] == name]


def _jobs(system: System, asked: dict | None = None) -> dict | None:
    """The list in which jobs are left for a service; none: it is asked otherwise."""
    if not asked or not asked.get("jobs"):
        return None
    kinds = system.composition["stores"].items()
    store = next(key for key, each in kinds if each["kind"] == "redis")
    facts = system.tier(store)
    return {"host": facts["host"], "port": facts["ports"]["redis"], "list": f"jobs:{asked['service']}"}


def _beside(system: System) -> dict:
    """Where a service finds what stands beside it."""
    composition, found = system.composition, {}
    if composition.get("names"):
        found["names"] = f"{beside.NAMES_AT['host']}:53"
    if composition.get("kept"):
        kept = system.tier(beside.KEPT)
        found["kept"] = f"{kept['host']}:{kept['ports']['memcached']}"
    if composition.get("partition"):
        found["logs"] = str(beside.folder(system.tier(beside.PARTITION)["directory"]))
    return found


def _reached(system: System, store: str) -> dict:
    """The tier at which services reach a store: itself, or what keeps connections to it."""
    pooler = system.composition.get("pooler")
    return system.tier(beside.POOLER if pooler and pooler["store"] == store else store)


def resolved(steps: object, values: dict) -> object:
    """The steps with each `=name` in the place of its value."""
    if isinstance(steps, list):
        return [resolved(each, values) for each in steps]
    if isinstance(steps, dict):
        return {key: resolved(each, values) for key, each in steps.items()}
    if isinstance(steps, str) and steps.startswith("="):
        return values[steps[1:]]
    return steps


def _start(system: System, name: str) -> None:
    facts = system.tier(name)
    Path(facts["directory"]).mkdir(exist_ok=True)
    kind = _kind(system, name)
    kind.build()
    engine.launch(
        system.running, facts, kind, _files(system.composition, name), _cpu(system.composition, name)
    )
    if name == wire.NAME:
        wire.limit(system.running.facts["network"], system.composition["wire"])
    # Only now: what starts in a small share starts for long.
    shares.set_cpu(facts["share"], Share(_quota(system.composition, name)))


def change(system: System, composition: dict, state: str) -> None:
    """Becomes another composition of the same parts: all services start anew, none is warmer than
    another; stores take over what changed while they run."""
    system.composition = composition
    system.running.facts["state"] = state
    services = [
        each["name"]
        for each in system.running.facts["tiers"]
        if each["name"] not in composition["stores"]
    ]
    for each in composition["services"]:
        runtimes.find(each["runtime"]).end(system.tier(each["name"])["settings"])
    for name in reversed(services):
        engine.stop_tier(system.tier(name))
    for name, each in composition["stores"].items():
        stores.change(system.tier(name), each)
    for old in system.records.iterdir():
        old.unlink(missing_ok=True)
    for name in services:
        facts = system.tier(name)
        shares.set_cpu(facts["share"], Share())
        _start(system, name)
    system.running.save()


def keep_logs(system: System, folder: Path) -> None:
    """Copies the last of what each tier said, for what went wrong."""
    for tier in system.running.facts["tiers"]:
        log = Path(tier["directory"], "log")
        if log.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(log, folder / f"{tier['name']}.log")
