"""Starts, switches and ends instances of cases."""

import datetime
import os
import resource
import shutil
from pathlib import Path

from . import casefile, faults, load, needs, network, ports, process, seed, shares, text, tiers
from .casefile import HOST, Case, Share, Tier
from .errors import LabError
from .instance import FILE, FORMAT, Instance
from .tiers import mariadb
from .tiers.base import Kind, Place, wait_until_ready

_LOOPBACK = "127.0.0.1"


def up(case: Case, name: str, state: Path, number: int, cured: bool, say) -> Instance:
    """Starts all tiers of a case. On any failure nothing is left."""
    directory = state / name
    if (directory / FILE).exists():
        raise LabError(f"'{name}' runs already: plimsoll-lab down {name} ends it")
    for tier in case.tiers:
        tiers.build(tier.kind)
    lacking = needs.missing(case)
    if lacking:
        raise LabError(f"{case.id} cannot run here; missing: {', '.join(lacking)}")
    if directory.exists() and any(directory.iterdir()):
        raise LabError(
            f"{directory} is in the way: it is no instance of a case "
            "(lab/stop.sh ends what lab/start.sh started)"
        )
    directory.mkdir(parents=True, exist_ok=True)
    running = Instance(directory, {})
    try:
        _describe(running, case, number, cured)
        running.save()
        _make_surroundings(running, case)
        for tier in case.tiers:
            _start(running, case, tier)
        load.write_plan(running)
        running.facts["status"] = "running"
        running.save()
    except BaseException:
        down(running, say)
        raise
    for tier in running.facts["tiers"]:
        say(f"{tier['name']}: {tier['kind']}, pid {tier['pid']}, {shares.say(tier['share'])}")
    say(f"generator: {shares.say(running.facts['load']['share'])}")
    return running


def _describe(running: Instance, case: Case, number: int, cured: bool) -> None:
    """All that is known before anything runs."""
    values = {
        "seed": number,
        **seed.names(number, case.id),
        **seed.numbers(number, case.id, case.seeded),
    }
    values["rows"] = next(
        (tier.settings.get("rows", mariadb.ROWS) for tier in case.tiers if tier.kind == "mariadb"),
        0,
    )
    wanted = sum(len(tier.ports) for tier in case.tiers)
    chosen = iter(ports.choose(seed.ports(number, case.id), wanted))
    net = network.describe(running.unique, list(case.netns), case.links)
    running.facts.update(
        {
            "format": FORMAT,
            "name": running.name,
            "case": case.id,
            "seed": number,
            "status": "starting",
            "state": "cured" if cured else "faulty",
            "created": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "values": values,
            "network": net,
            "tiers": [],
        }
    )
    for tier in case.tiers:
        host = net["addresses"].get(tier.netns, _LOOPBACK) if tier.netns != HOST else _LOOPBACK
        running.facts["tiers"].append(
            {
                "name": tier.name,
                "kind": tier.kind,
                "pid": None,
                "start_time": None,
                "host": host,
                "netns": net["namespaces"].get(tier.netns),
                "ports": {port: next(chosen) for port in tier.ports},
                "settings": {},
                "share": None,
                "directory": str(running.directory / tier.name),
                "generated": None,
            }
        )
    running.facts["load"] = {
        "tier": case.load.tier,
        "port": case.load.port,
        "values": {},
        "share": None,
        "netns": net["namespaces"].get(case.load.netns),
    }
    running.facts["truth"] = {}
    running.facts["second"] = None


def _values(running: Instance) -> dict[str, object]:
    """What placeholders may name now."""
    values = dict(running.facts["values"])
    for tier in running.facts["tiers"]:
        values |= {f"{tier['name']}.{port}": number for port, number in tier["ports"].items()}
        first = next(iter(tier["ports"].values()))
        values |= {
            f"{tier['name']}.port": first,
            f"{tier['name']}.host": tier["host"],
            f"{tier['name']}.url": f"http://{tier['host']}:{first}",
            f"{tier['name']}.dir": tier["directory"],
        }
    return values


def _of_state(
    case: Case, running: Instance, part: str, base: dict[str, object]
) -> dict[str, object]:
    """A part's settings in the state the instance is in, placeholders filled."""
    settings = {**base, **case.states[running.facts["state"]].get(part, {})}
    return text.fill(settings, _values(running))


def _share_of(settings: dict[str, object], share: Share) -> Share:
    """Takes `cpu` and `cpuset` out of a state's settings; they are not the program's."""
    return Share(settings.pop("cpu", share.cpu), settings.pop("cpuset", share.cpuset))


def _make_surroundings(running: Instance, case: Case) -> None:
    """Namespaces, links and the shares of the CPUs."""
    facts = running.facts
    network.create(facts["network"], _sysctls(running, case))
    _set_links(running, case)
    unique = f"{running.name}-{running.unique}"
    for tier in case.tiers:
        share = _share_of(_of_state(case, running, tier.name, {}), tier.share)
        running.tier(tier.name)["share"] = shares.create(unique, tier.name, share)
        running.save()
    _set_load(running, case)
    facts["load"]["share"] = shares.create(
        unique, "generator", _load_share(running, case), first=True
    )
    _set_truth(running, case)
    running.save()


def _set_truth(running: Instance, case: Case) -> None:
    running.facts["truth"] = text.fill(case.truth, _values(running))
    running.facts["second"] = text.fill(case.second, _values(running))


def _sysctls(running: Instance, case: Case) -> dict[str, dict[str, object]]:
    changed = case.states[running.facts["state"]].get("netns", {})
    return text.fill(
        {name: {**settings, **changed.get(name, {})} for name, settings in case.netns.items()},
        _values(running),
    )


def _set_links(running: Instance, case: Case) -> None:
    """The links' rates in this state, by [faulty.link] and [cured.link]; 0 is no limit."""
    changed = _of_state(case, running, "link", {})
    for link, described in zip(running.facts["network"]["links"], case.links, strict=True):
        rate = changed.get("rate_mbit", text.fill(described["rate_mbit"], _values(running)))
        network.set_rate(running.facts["network"], link, rate or None)


def _load_share(running: Instance, case: Case) -> Share:
    return _share_of(_of_state(case, running, "load", {}), case.load.share)


def _set_load(running: Instance, case: Case) -> None:
    values = _of_state(case, running, "load", case.load.values)
    _share_of(values, case.load.share)
    running.facts["load"]["tier"] = values.pop("tier", case.load.tier)
    running.facts["load"]["port"] = values.pop("port", case.load.port)
    running.facts["load"]["values"] = values
    running.facts["load"]["hops"] = text.fill(case.hops, _values(running))


def _kind(running: Instance, case: Case, tier: Tier) -> Kind:
    """The tier as it is to run now."""
    facts = running.tier(tier.name)
    settings = _of_state(case, running, tier.name, tier.settings)
    _share_of(settings, tier.share)
    jvm = settings.pop("jvm", text.fill(tier.jvm, _values(running)))
    facts["settings"], facts["jvm"] = settings, jvm
    generated = Path(facts["generated"]) if facts["generated"] else None
    return tiers.kind(
        Place(
            directory=Path(facts["directory"]),
            tier=tier,
            settings=settings,
            host=facts["host"],
            ports=facts["ports"],
            netns=facts["netns"],
            names=running.facts["values"],
            generated=generated,
            jvm=jvm,
        )
    )


def _start(running: Instance, case: Case, tier: Tier) -> None:
    """Starts one tier and waits until it serves."""
    facts = running.tier(tier.name)
    directory = Path(facts["directory"])
    directory.mkdir(exist_ok=True)
    if case.fault and case.fault_tier == tier.name and not facts["generated"]:
        kind = _kind(running, case, tier)
        facts["generated"] = str(
            faults.generate(
                case.fault, running.facts["values"], kind.own_jar(), tier.jdk, directory
            )
        )
    launch(running, facts, _kind(running, case, tier), tier.nofile)


def launch(
    running: Instance, facts: dict, kind: Kind, nofile: int | None = None, cpu: int | None = None
) -> None:
    """Starts the process of a tier in its share and waits until it serves; notes it in its facts."""
    directory = Path(facts["directory"])
    kind.prepare()
    environment = {**os.environ, "PLIMSOLL_LAB_INSTANCE": str(running.directory)}
    with network.entered(facts["netns"]):
        started, child = process.spawn(
            kind.command(),
            directory / "log",
            directory,
            environment,
            lambda: _enter(facts["share"], nofile, cpu),
        )
    facts["pid"], facts["start_time"] = started.pid, started.start_time
    running.save()
    wait_until_ready(kind, lambda: child.poll() is None)
    kind.started()
    facts.update(kind.facts())
    running.save()


def _enter(share: dict, nofile: int | None, cpu: int | None) -> None:
    """What a tier's process does before it becomes the program."""
    shares.join(share)
    if nofile:
        resource.setrlimit(resource.RLIMIT_NOFILE, (nofile, nofile))
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})


def switch(running: Instance, cured: bool, say) -> None:
    """Faulty becomes cured or the other way round; what can change while it runs does so."""
    case = casefile.find(running.facts["case"])
    wanted = "cured" if cured else "faulty"
    if running.facts["state"] == wanted:
        say(f"{running.name} is {wanted} already")
        return
    try:
        _switch(running, case, wanted, say)
    except LabError as error:
        name = running.name
        raise LabError(f"{error}\n'{name}' is half switched: end it (down {name})") from error


def _switch(running: Instance, case: Case, wanted: str, say) -> None:
    running.facts["state"] = wanted
    network.set_sysctls(running.facts["network"], _sysctls(running, case))
    _set_links(running, case)
    for tier in case.tiers:
        _switch_tier(running, case, tier, say)
    _set_load(running, case)
    shares.set_cpu(running.facts["load"]["share"], _load_share(running, case))
    _set_truth(running, case)
    load.write_plan(running)
    running.save()


def _switch_tier(running: Instance, case: Case, tier: Tier, say) -> None:
    facts = running.tier(tier.name)
    share = _share_of(_of_state(case, running, tier.name, {}), tier.share)
    if share.cpu != facts["share"]["cpu"]:
        shares.set_cpu(facts["share"], share)
        say(f"{tier.name}: {shares.say(facts['share'])}, while it runs")
    before, before_jvm = facts["settings"], facts["jvm"]
    kind = _kind(running, case, tier)
    if facts["settings"] == before and facts["jvm"] == before_jvm:
        return
    if facts["jvm"] == before_jvm:
        with network.entered(facts["netns"]):
            if kind.switch_live(before):
                say(f"{tier.name}: changed while it runs")
                return
    stop_tier(facts)
    _start(running, case, tier)
    say(f"{tier.name}: restarted, pid {facts['pid']}")


def _tier_process(facts: dict) -> process.Process | None:
    return process.Process(facts["pid"], facts["start_time"]) if facts["pid"] else None


def stop_tier(facts: dict) -> None:
    """Ends the tier's process, and whatever of its session outlived it."""
    started = _tier_process(facts)
    if started is None:
        return
    process.stop([started])
    orphans = [process.identify(pid) for pid in shares.members(facts["share"] or {"dirs": []})]
    orphans += process.session_members(started.pid, Path(facts["directory"]))
    process.stop([each for each in orphans if each])
    facts["pid"] = facts["start_time"] = None


def down(running: Instance, say) -> None:
    """Ends all, the last started first, and removes all that was made."""
    facts = running.facts
    left: list[str] = []
    for tier in reversed(facts.get("tiers", [])):
        stop_tier(tier)
    made = [
        each["share"]
        for each in [*facts.get("tiers", []), facts.get("load", {})]
        if each.get("share")
    ]
    for share in made:
        process.stop([each for each in map(process.identify, shares.members(share)) if each])
        left += shares.remove(share)
    if "network" in facts:
        left += network.remove(facts["network"])
    shutil.rmtree(running.directory, ignore_errors=True)
    if running.directory.exists():
        left.append(str(running.directory))
    for each in left:
        say(f"{each} could not be removed")
    if left:
        raise LabError(f"'{running.name}' ended, but something of it stays")
