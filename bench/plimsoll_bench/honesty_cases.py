"""Runs of which it is known beforehand whose time it is: the generator's or the target's."""

from dataclasses import dataclass

USERS = "target: {target}\nusers: {users}\nduration: {seconds}s\nsteps: [{{get: /}}]\n"
RATE = ("target: {target}\nrate: {rate}/s\nmax-in-flight: {most}\nduration: {seconds}s\n"
        "steps: [{{get: /}}]\n")
NEW_CONNECTIONS = "keep-alive: false\n"


@dataclass(frozen=True)
class Case:
    """One run. `starved` says whether the generator is starved in it."""

    name: str
    starved: bool
    plan: str
    #: What the server does: delay in microseconds, freeze and period in milliseconds, status.
    server: tuple = (0, 0, 1000, 200)
    #: "http", "refused" (nobody listens), "unknown" (the name does not resolve).
    target: str = "http"
    #: Processes that spin on the load thread's CPU.
    spinners: int = 0
    #: Share of a CPU that the generator's control group may use.
    quota: float | None = None
    #: (after so many seconds, for so many): the generator is stopped.
    stop: tuple | None = None
    #: Open files that the generator may have.
    files: int | None = None
    #: Local ports of the network namespace that generator and server share.
    ports: int | None = None
    #: Memory of the generator's control group, as a share of what the run takes without a limit.
    memory: float | None = None
    suffix: str = "yaml"


def users(count: int, seconds: int, more: str = "") -> str:
    """A closed load."""
    return USERS.format(target="{target}", users=count, seconds=seconds) + more


def rate(per_s: int, seconds: int, more: str = "", most: int = 10_000) -> str:
    """An open load."""
    return RATE.format(target="{target}", rate=per_s, seconds=seconds, most=most) + more


def steps(head: str, body: str) -> str:
    """A closed load with steps of its own."""
    return "target: {target}\n" + head + "\nsteps:\n" + body


def element(kind: str, name: str, properties: dict, below: str = "") -> str:
    """An element of a JMeter plan; properties by (type, name)."""
    inside = "".join(f'<{of} name="{key}">{value}</{of}>'
                     for (of, key), value in properties.items())
    return (f'<{kind} guiclass="x" testclass="{kind}" testname="{name}">{inside}</{kind}>'
            f"<hashTree>{below}</hashTree>")


def jmeter(threads: int, seconds: int, below: str) -> str:
    """A JMeter plan whose threads do this for so long; {host} and {port} are the target's."""
    group = {("stringProp", "ThreadGroup.num_threads"): threads,
             ("stringProp", "ThreadGroup.ramp_time"): 0,
             ("boolProp", "ThreadGroup.scheduler"): "true",
             ("stringProp", "ThreadGroup.duration"): seconds}
    loop = ('<elementProp name="ThreadGroup.main_controller" elementType="LoopController">'
            '<intProp name="LoopController.loops">-1</intProp></elementProp>')
    inside = element("ThreadGroup", "users", group, below).replace(
        'testname="users">', 'testname="users">' + loop, 1)
    return ('<jmeterTestPlan version="1.2" properties="5.0" jmeter="5.6.3"><hashTree>'
            '<TestPlan testclass="TestPlan" testname="plan"/><hashTree>'
            f"{inside}</hashTree></hashTree></jmeterTestPlan>")


def sampler(below: str = "") -> str:
    """A GET of the target."""
    return element("HTTPSamplerProxy", "get", {
        ("stringProp", "HTTPSampler.domain"): "{host}",
        ("stringProp", "HTTPSampler.port"): "{port}",
        ("stringProp", "HTTPSampler.path"): "/",
        ("stringProp", "HTTPSampler.method"): "GET",
        ("boolProp", "HTTPSampler.use_keepalive"): "true"}, below)


def timer(ms: int) -> str:
    """A constant timer."""
    return element("ConstantTimer", "timer", {("stringProp", "ConstantTimer.delay"): ms})


def think(ms: int) -> str:
    """JMeter's recipe for think time."""
    return element("TestAction", "think", {
        ("intProp", "ActionProcessor.action"): 1, ("intProp", "ActionProcessor.target"): 0,
        ("stringProp", "ActionProcessor.duration"): 0}, timer(ms))


def transaction(parent: bool, below: str) -> str:
    """A transaction without its timers."""
    return element("TransactionController", "transaction", {
        ("boolProp", "TransactionController.includeTimers"): "false",
        ("boolProp", "TransactionController.parent"): str(parent).lower()}, below)


def starved() -> list[Case]:
    """Runs whose generator lacks something."""
    cases = []

    def add(name: str, plan: str, **more) -> None:
        cases.append(Case(name, True, plan, **more))

    for spinners in (1, 2, 4):
        for count in (16, 64, 256):
            add(f"spinners-{spinners}-users-{count}", users(count, 4), spinners=spinners)
    add("spinners-2-slow-server", users(512, 4), spinners=2, server=(2_000, 0, 1000, 200))
    add("spinners-2-new-connections", users(64, 4, NEW_CONNECTIONS), spinners=2)
    for percent in (10, 25, 50):
        add(f"quota-{percent}-users", users(64, 4), quota=percent / 100)
    add("quota-5-rate", rate(4_000, 4), quota=0.05)
    add("quota-10-slow-server", users(256, 4), quota=0.1, server=(5_000, 0, 1000, 200))
    slow = (100_000, 0, 1000, 200)
    for count, length in ((16, 0.6), (64, 0.6), (64, 1.5), (200, 1.0), (16, 2.5), (1, 2.0)):
        add(f"stop-{length}-users-{count}", users(count, 5), stop=(1.5, length), server=slow)
    for per_s, length in ((200, 0.5), (1_000, 0.3), (50, 1.5)):
        add(f"stop-{length}-rate-{per_s}", rate(per_s, 4), stop=(1.5, length),
            server=(5_000, 0, 1000, 200))
    add("stop-1.5-jmeter", jmeter(20, 5, sampler()), stop=(2.0, 1.5), server=slow,
        suffix="jmx")
    add("stop-1.0-new-connections", users(32, 5, NEW_CONNECTIONS), stop=(1.5, 1.0), server=slow)
    add("stop-1.5-long-run", users(64, 10), stop=(5.0, 2.0), server=(200_000, 0, 1000, 200))
    for files, count in ((64, 200), (128, 400)):
        add(f"files-{files}-users-{count}", users(count, 3), files=files, server=slow)
    add("files-64-rate", rate(500, 3, NEW_CONNECTIONS), files=64, server=(300_000, 0, 1000, 200))
    for ports, count in ((50, 200), (200, 400)):
        add(f"ports-{ports}-users-{count}", users(count, 3), ports=ports, server=slow)
    add("ports-50-new-connections", users(100, 3, NEW_CONNECTIONS), ports=50, server=slow)
    add("memory-users", users(2_000, 4), memory=1.0, server=(500_000, 0, 1000, 200))
    add("memory-rate", rate(300, 4, most=5_000), memory=1.0, server=(2_000_000, 0, 1000, 200))
    return cases


def fair() -> list[Case]:
    """Runs whose target is to blame for whatever they show."""
    cases = []

    def add(name: str, plan: str, **more) -> None:
        cases.append(Case(name, False, plan, **more))

    for ms, count in ((5, 2), (20, 8), (50, 16), (100, 50), (300, 20), (1_000, 30)):
        add(f"slow-{ms}ms-users-{count}", users(count, 4), server=(ms * 1_000, 0, 1000, 200))
    add("slow-50ms-rate", rate(100, 4), server=(50_000, 0, 1000, 200))
    add("slow-2s-rate-full", rate(50, 5, most=10), server=(2_000_000, 0, 1000, 200))
    add("slow-20ms-new-connections", users(4, 4, NEW_CONNECTIONS), server=(20_000, 0, 1000, 200))
    add("slow-100ms-long", users(20, 12), server=(100_000, 0, 1000, 200))
    for freeze_ms, period_ms in ((300, 1_500), (800, 2_000), (1_500, 4_000)):
        server = (10_000, freeze_ms, period_ms, 200)
        add(f"freezing-{freeze_ms}ms-users", users(8, 5), server=server)
        add(f"freezing-{freeze_ms}ms-rate", rate(80, 5), server=server)
    for pace_ms, ms, count in ((100, 150, 50), (20, 60, 10), (50, 55, 20), (200, 20, 20)):
        plan = steps(f"users: {count}\nduration: 4s\npace: {pace_ms}ms", "  - get: /\n")
        add(f"pacing-{pace_ms}ms-server-{ms}ms", plan, server=(ms * 1_000, 0, 1000, 200))
    server = (20_000, 0, 1000, 200)
    add("pacing-with-think", steps("users: 10\nduration: 4s\npace: 50ms",
                                   "  - get: /\n  - think: 80ms\n"), server=server)
    add("thinking", steps("users: 20\nduration: 4s", "  - get: /\n  - think: 100ms\n"),
        server=server)
    add("thinking-first", steps("users: 10\nduration: 4s", "  - think: 150ms\n  - get: /\n"),
        server=server)
    for name, below in (
        ("think-time", think(200) + sampler()),
        ("timer", sampler(timer(200))),
        ("parent", transaction(True, sampler(timer(300)))),
        ("parent-think", transaction(True, think(300) + sampler())),
        ("beside", transaction(False, think(300) + sampler())),
    ):
        add(f"jmeter-{name}", jmeter(10, 4, below), server=server, suffix="jmx")
    add("refusing-users", users(8, 3), target="refused")
    add("refusing-many", users(64, 3), target="refused")
    add("refusing-rate", rate(200, 3), target="refused")
    add("refusing-jmeter", jmeter(4, 3, sampler()), target="refused", suffix="jmx")
    add("unknown-host-users", users(8, 3), target="unknown")
    add("unknown-host-rate", rate(100, 3), target="unknown")
    add("erroring-503", users(10, 4), server=(20_000, 0, 1000, 503))
    add("erroring-404-rate", rate(150, 4), server=(10_000, 0, 1000, 404))
    add("erroring-time-outs", users(10, 4, "timeout: 150ms\n"),
        server=(400_000, 0, 1000, 200))
    return cases


def all_cases() -> list[Case]:
    """All, in their order."""
    return starved() + fair()
