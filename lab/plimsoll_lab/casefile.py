"""Case files: what they may say, read strictly. lab/README.md describes the format."""

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from . import paths, seed, text
from .errors import BadCase, LabError
from .reader import Table

KINDS = {
    "spring": ("http", "management"),
    "gateway": ("http", "management"),
    "tomcat": ("http",),
    "partner": ("http",),
    "nginx": ("http",),
    "mariadb": ("mysql",),
    "redis": ("redis",),
}
"""Each kind of tier with its ports; the first is the one others talk to."""
JVM_KINDS = ("spring", "gateway", "tomcat")
HTTP_KINDS = (*JVM_KINDS, "partner", "nginx")
SERVERS = ("tomcat", "undertow", "jetty", "bio", "apr", "nio", "nio2")
NEEDS = ("root", "namespace", "cgroup", "lua", "cores-4")
METRICS = ("throughput", "ok_throughput", "error_share", "mean", "p50", "p90", "p95", "p99", "max")
STATES = ("faulty", "cured")
HOST = "host"
"""The network namespace that was there before."""


@dataclass
class Share:
    """A part of the CPUs: so many of them (quota), these of them (set), or both."""

    cpu: float | None = None
    cpuset: list[int] = field(default_factory=list)


@dataclass
class Tier:
    """One process of the system, with what it is given in either state."""

    name: str
    kind: str
    server: str | None
    jdk: int
    jvm: list[str]
    netns: str
    share: Share
    settings: dict[str, object]
    nofile: int | None
    ports: list[str]
    """Names of its ports: those of its kind, and further ones that the case wants."""


@dataclass
class Load:
    """The load that brings the fault out. Times in s unless named otherwise."""

    tier: str
    port: str | None
    values: dict[str, object]
    share: Share
    netns: str


@dataclass
class Expect:
    """What the measurement must show."""

    metric: str
    cured_over_faulty: tuple[float, float] | None
    faulty: tuple[float, float] | None
    cured: tuple[float, float] | None


@dataclass
class Case:
    """A case, placeholders not yet filled."""

    id: str
    file: Path
    title: dict[str, str]
    shows: dict[str, str]
    needs: list[str]
    control: bool
    provable: bool
    fault: str | None
    fault_tier: str | None
    tiers: list[Tier]
    netns: dict[str, dict[str, object]]
    links: list[dict[str, object]]
    seeded: dict[str, list]
    states: dict[str, dict[str, dict[str, object]]]
    load: Load
    hops: dict[str, str]
    """Tiers that can be loaded alone, each with the path for it."""
    signals: dict[str, list[str]]
    """Metrics of Spring tiers that tell the case from others."""
    truth: dict[str, object]
    second: dict[str, object] | None
    """The truth of a second fault, that limits when the first is gone."""
    expect: Expect | None
    shown: dict[str, object]

    def tier(self, name: str) -> Tier:
        """The tier of that name."""
        return next(each for each in self.tiers if each.name == name)


def files(directory: Path | None = None) -> list[Path]:
    """All case files, sorted."""
    return sorted((directory or paths.CASES).glob("*.toml"), key=lambda path: path.stem)


def find(case_id: str) -> Case:
    """The case of that id."""
    for path in files():
        if path.stem.lower() == case_id.lower():
            return read(path)
    raise LabError(f"there is no case '{case_id}'; plimsoll-lab list shows them all")


def read(path: Path) -> Case:
    """Reads and checks a case file; raises BadCase with every mistake."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadCase([f"{path.name}: {error}"]) from error
    problems: list[str] = []
    case = _case(Table(data, f"{path.name}:", problems), path)
    if not problems:
        _check_names(case, problems)
    if problems:
        raise BadCase(problems)
    return case


def _case(top: Table, path: Path) -> Case:
    case_id = top.text("id", required=True) or ""
    if case_id and case_id != path.stem:
        top.problem("id", f"is {case_id!r}, but the file's name says {path.stem!r}")
    tiers = [_tier(each) for each in top.tables("tier")]
    if not tiers:
        top.problem("tier", "is missing: at least one [[tier]] is wanted")
    names = [each.name for each in tiers]
    for name in sorted({name for name in names if names.count(name) > 1}):
        top.problem("tier", f"two tiers are named {name!r}")
    case = Case(
        id=case_id,
        file=path,
        title=_two_languages(top, "title"),
        shows=_two_languages(top, "shows"),
        needs=top.texts("needs", NEEDS),
        control=top.flag("control"),
        provable=top.flag("provable", True),
        fault=top.text("fault"),
        fault_tier=top.text("fault_tier", choices=names),
        tiers=tiers,
        netns=_namespaces(top),
        links=_links(top),
        seeded=_seeded(top.table("seeded")),
        states={state: _state(top.table(state), names) for state in STATES},
        load=_load(top.table("load"), names),
        hops=_hops(top.table("hops"), names),
        signals=_signals(top.table("signals"), tiers),
        truth=_truth(top.table("truth")),
        second=_truth(top.table("second")) if "second" in top.data else None,
        expect=_expect(top.table("expect")),
        shown=dict(top.table("shown").data),
    )
    top.done()
    if case.fault and case.fault_tier is None:
        case.fault_tier = next((each.name for each in tiers if each.kind in JVM_KINDS), None)
        if case.fault_tier is None:
            top.problem("fault", "needs a tier of a kind " + ", ".join(JVM_KINDS))
    return case


def _two_languages(top: Table, key: str) -> dict[str, str]:
    table = top.table(key)
    found = {lang: table.text(lang, required=True) or "" for lang in ("en", "zh")}
    table.done()
    return found


def _tier(table: Table) -> Tier:
    name = table.text("name", required=True) or ""
    if name and not re.fullmatch(r"[a-z][a-z0-9_]{0,15}", name):
        table.problem(
            "name", f"{name!r} is not allowed: small letters, digits and _, a letter first"
        )
    kind = table.text("kind", choices=KINDS, required=True) or ""
    tier = Tier(
        name=name,
        kind=kind,
        nofile=table.number("nofile", None, 16, 1_048_576),
        ports=[*KINDS.get(kind, ()), *table.texts("ports")],
        server=table.text("server", choices=SERVERS),
        jdk=int(table.number("jdk", 17, 17, 99)),
        jvm=table.texts("jvm"),
        netns=table.text("netns", HOST),
        share=_share(table),
        settings=dict(table.table("settings").data),
    )
    table.done()
    return tier


def _share(table: Table) -> Share:
    cpu = table.number("cpu", None, 0.05, 1024)
    if isinstance(cpu, str):
        table.problem("cpu", "must be a number: a placeholder is not allowed here")
        cpu = None
    return Share(cpu=cpu, cpuset=table.cpus("cpuset"))


def _namespaces(top: Table) -> dict[str, dict[str, object]]:
    found = {}
    for table in top.tables("netns"):
        name = table.text("name", required=True) or ""
        found[name] = dict(table.table("sysctl").data)
        table.done()
    return found


def _links(top: Table) -> list[dict[str, object]]:
    found = []
    for table in top.tables("link"):
        ends = table.texts("ends")
        if len(ends) != 2:
            table.problem("ends", "must name two namespaces")
        found.append({"ends": ends, "rate_mbit": table.number("rate_mbit", None, 1, 100_000)})
        table.done()
    return found


def _seeded(table: Table) -> dict[str, list]:
    for key, value in table.data.items():
        if not isinstance(value, list) or len(value) < 2:
            table.problem(key, "must be a range of two whole numbers, or a list of choices")
        elif key in seed.NAME_KEYS:
            table.problem(key, "is a name that every case has")
        elif (
            len(value) == 2 and all(isinstance(each, int) for each in value) and value[0] > value[1]
        ):
            table.problem(key, f"the range {value} is empty: the lower number comes first")
    return table.data


def _state(table: Table, tiers: list[str]) -> dict[str, dict[str, object]]:
    found = {}
    allowed = [*tiers, "load", "netns", "link"]
    for key in table.data:
        if key not in allowed:
            table.problem(key, f"is no tier of this case; allowed: {', '.join(allowed)}")
            continue
        found[key] = dict(table.table(key).data)
        if key == "load":
            allowed_here = (*LOAD_KEYS, *LOAD_TEXTS, *_LOAD_OTHERS, "tier", "cpu", "cpuset")
            for name in found[key].keys() - set(allowed_here):
                table.table(key).problem(name, f"is not known; allowed: {', '.join(allowed_here)}")
    return found


LOAD_KEYS = {
    "users": (1, 100_000),
    "rate": (1, 1_000_000),
    "duration_s": (1, 20),
    "warm_up_s": (0, 60),
    "ramp_up_s": (0, 60),
    "timeout_s": (0.01, 300),
    "limit_ms": (1, 600_000),
    "threads": (1, 64),
    "max_in_flight": (1, 100_000),
    "think_ms": (0, 60_000),
}
"""Numbers of [load], with their bounds."""
_LOAD_OTHERS = ("in_step", "cookies", "compression", "headers", "port")
LOAD_TEXTS = ("method", "path", "body", "content_type", "connections", "status")


def _load(table: Table, tiers: list[str]) -> Load:
    values: dict[str, object] = {
        key: table.number(key, None, *bounds) for key, bounds in LOAD_KEYS.items()
    }
    values |= {key: table.text(key) for key in LOAD_TEXTS}
    values |= {key: table.flag(key) for key in ("in_step", "compression")}
    values["cookies"] = table.flag("cookies", True)
    values["headers"] = dict(table.table("headers").data)
    if values["connections"] not in (None, "kept", "short"):
        table.problem("connections", "must be kept or short")
    if (values["users"] is None) == (values["rate"] is None):
        table.problem("users", "either users or rate is wanted")
    if "duration_s" not in table.data:
        table.problem("duration_s", "is missing: at most 20 (seconds)")
    load = Load(
        tier=table.text("tier", tiers[-1] if tiers else "", choices=tiers) or "",
        port=table.text("port"),
        values=values,
        share=_share(table),
        netns=table.text("netns", HOST),
    )
    table.done()
    return load


def _hops(table: Table, tiers: list[str]) -> dict[str, str]:
    for key in table.data:
        if key not in tiers:
            table.problem(key, f"is no tier of this case; it has: {', '.join(tiers)}")
    return {key: table.text(key) or "/" for key in table.data}


def _signals(table: Table, tiers: list[Tier]) -> dict[str, list[str]]:
    allowed = [each.name for each in tiers if each.kind in ("spring", "gateway")]
    for key in table.data:
        if key not in allowed:
            table.problem(key, f"has no metrics; allowed: {', '.join(allowed)}")
    return {key: table.texts(key) for key in table.data}


def _truth(table: Table) -> dict[str, object]:
    truth = {
        "finding": table.text("finding", required=True),
        "where": table.text("where"),
        "tier": table.text("tier"),
        "advice": table.text("advice"),
    }
    thing = table.table("object")
    truth["object"] = {"kind": thing.text("kind"), "name": thing.text("name")}
    thing.done()
    table.done()
    return truth


def _expect(table: Table) -> Expect | None:
    if not table.data:
        return None
    expect = Expect(
        metric=table.text("metric", "throughput", METRICS) or "throughput",
        cured_over_faulty=table.range("cured_over_faulty"),
        faulty=table.range("faulty"),
        cured=table.range("cured"),
    )
    if not table.data.keys() & {"cured_over_faulty", "faulty", "cured"}:
        table.problem("", "says nothing: cured_over_faulty, faulty or cured is wanted")
    table.done()
    return expect


def tier_values(case: Case) -> dict[str, object]:
    """Stand-ins for what is only known when the tiers run."""
    found: dict[str, object] = {}
    for tier in case.tiers:
        found |= {f"{tier.name}.{port}": 1 for port in tier.ports}
        found |= {
            f"{tier.name}.port": 1,
            f"{tier.name}.host": "127.0.0.1",
            f"{tier.name}.url": "http://127.0.0.1:1",
            f"{tier.name}.dir": "/",
        }
    return found


def _check_names(case: Case, problems: list[str]) -> None:
    """Placeholders name what there is, namespaces are declared, faults have a template."""
    values = {
        **seed.names(0, case.id),
        **seed.numbers(0, case.id, case.seeded),
        **tier_values(case),
        "rows": 1,
    }
    parts = [
        (f"tier[{index}].{key}", getattr(each, key))
        for index, each in enumerate(case.tiers)
        for key in ("settings", "jvm")
    ]
    parts += [(state, case.states[state]) for state in STATES]
    parts += [
        ("load", case.load.values),
        ("truth", case.truth),
        ("second", case.second),
        ("netns", case.netns),
        ("link", case.links),
        ("hops", case.hops),
    ]
    for key, part in parts:
        try:
            text.fill(part, values)
        except text.UnknownName as error:
            problems.append(f"{case.file.name}:{key}: {error}")
    if case.tier(case.load.tier).kind not in HTTP_KINDS:
        problems.append(
            f"{case.file.name}:load.tier: {case.load.tier!r} does not speak HTTP; "
            "name a tier of a kind " + ", ".join(HTTP_KINDS)
        )
    known = {HOST, *case.netns}
    used = [(f"tier[{index}].netns", each.netns) for index, each in enumerate(case.tiers)]
    used += [("load.netns", case.load.netns)]
    used += [
        (f"link[{index}].ends", end)
        for index, link in enumerate(case.links)
        for end in link["ends"]
    ]
    problems += [
        f"{case.file.name}:{key}: there is no [[netns]] {name!r}"
        for key, name in used
        if name not in known
    ]
    if case.fault and not (paths.FAULTS / f"{case.fault}.java.tmpl").is_file():
        problems.append(f"{case.file.name}:fault: there is no lab/faults/{case.fault}.java.tmpl")
    if not case.control and case.provable and case.expect is None:
        problems.append(f"{case.file.name}:expect: is missing: say what the cure must change")
