"""Makes the runs of `honesty_cases`, measures from outside whether they were fair, and judges
whether plimsoll told whose time it was."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from . import clients, proc
from .honesty_cases import Case

#: A fair run's load threads waited for a CPU, and the machine lost CPU, for less than this.
FAIR_SHARE = 0.01
#: How often a fair run that was not fair is made again.
DRAWS = 4
#: No run here lasts longer; one that does hangs.
LONGEST_S = 90
NETNS = "plimsoll-honesty"
LIMITED = 4


@dataclass
class Outcome:
    """What became of a case."""

    name: str
    starved: bool
    #: Whether plimsoll flagged its generator.
    flagged: bool
    exit_code: int
    reasons: list = field(default_factory=list)
    figures: list = field(default_factory=list)
    #: Measured outside: share of the run that a thread waited for a CPU, and steal.
    waited: float = 0.0
    steal: float = 0.0
    seconds: float = 0.0
    note: str = ""

    def fit(self) -> bool:
        """Whether the run is what its case says."""
        return not self.note and (self.starved or max(self.waited, self.steal) < FAIR_SHARE)

    def right(self) -> bool:
        """Whether plimsoll told whose time it was."""
        return self.flagged == self.starved


def schedstat_waits(text: str) -> int:
    """Nanoseconds that a thread waited for a CPU, by its schedstat."""
    return int(text.split()[1])


def steal_ticks(text: str) -> int:
    """Ticks that the hypervisor took from all CPUs, by /proc/stat."""
    return int(text.splitlines()[0].split()[8])


class Watch:
    """Looks at the load threads of a process from outside until it ends."""

    def __init__(self, pid: int):
        self._pid = pid
        self._waits: dict[str, int] = {}
        self._begin = time.monotonic()
        self._steal = steal_ticks(Path("/proc/stat").read_text())
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._over.wait(0.1):
            with contextlib.suppress(OSError):
                for task in os.listdir(f"/proc/{self._pid}/task"):
                    path = Path(f"/proc/{self._pid}/task/{task}")
                    with contextlib.suppress(OSError, IndexError):
                        # The others wait while these work.
                        if (path / "comm").read_text().startswith("load-"):
                            text = (path / "schedstat").read_text()
                            self._waits[task] = schedstat_waits(text)

    def end(self) -> tuple[float, float, float]:
        """(largest share of the time that a load thread waited, steal as a share, seconds)."""
        self._over.set()
        self._thread.join()
        seconds = time.monotonic() - self._begin
        stolen = steal_ticks(Path("/proc/stat").read_text()) - self._steal
        steal = stolen * proc.TICK_S / seconds / (os.cpu_count() or 1)
        return max(self._waits.values(), default=0) / 1e9 / seconds, steal, seconds


class NoSuchName:
    """A name server that knows no name."""

    def __init__(self):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self._socket.getsockname()[1]
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self) -> None:
        while True:
            question, who = self._socket.recvfrom(512)
            reply = bytearray(question)
            reply[2] |= 0x80
            reply[3] = reply[3] & 0xF0 | 3
            self._socket.sendto(bytes(reply), who)


class Cgroup:
    """A control group of version 1 or 2 for one run."""

    def __init__(self, controller: str):
        first = Path("/sys/fs/cgroup") / controller
        self.is_v1 = first.is_dir()
        root = first if self.is_v1 else Path("/sys/fs/cgroup")
        self.path = root / f"plimsoll-honesty-{os.getpid()}"

    def __enter__(self) -> "Cgroup":
        self.path.mkdir(exist_ok=True)
        return self

    def __exit__(self, *_) -> None:
        for _ in range(50):
            with contextlib.suppress(OSError):
                self.path.rmdir()
                return
            time.sleep(0.1)

    def quota(self, share: float) -> None:
        """Bounds its CPU."""
        if self.is_v1:
            (self.path / "cpu.cfs_period_us").write_text("100000")
            (self.path / "cpu.cfs_quota_us").write_text(str(int(share * 100_000)))
        else:
            (self.path / "cpu.max").write_text(f"{int(share * 100_000)} 100000")

    def memory(self, most: int) -> None:
        """Bounds its memory."""
        name = "memory.limit_in_bytes" if self.is_v1 else "memory.max"
        (self.path / name).write_text(str(most))

    def enter_argv(self, argv: list[str]) -> list[str]:
        """A command that runs in it."""
        return ["sh", "-c", f'echo $$ > {self.path}/cgroup.procs && exec "$@"', "sh", *argv]


class Bench:
    """Runs cases."""

    def __init__(self, directory: Path, cores: tuple[int, int], realtime: bool):
        #: Fair runs go before whatever else runs on the machine.
        self.before_others = ["chrt", "--rr", "10"] if realtime else []
        self.directory = directory
        self.load_core, self.other_core = cores
        self.plimsoll = str(clients.subject_binary())
        self.program = directory / "freeze"
        compiler = shutil.which("cc") or shutil.which("gcc")
        source = clients.BENCH / "server" / "freeze.c"
        subprocess.run([compiler, "-O2", "-o", self.program, source], check=True)
        self.names = NoSuchName()

    def draw(self, case: Case) -> Outcome:
        """Makes a case until it is fit."""
        for _ in range(DRAWS):
            outcome = self.once(case)
            if outcome.fit():
                break
        return outcome

    def once(self, case: Case) -> Outcome:
        """Makes a case once."""
        if not case.memory:
            return self._with_server(case, None)
        # How much it takes decides how much it gets.
        peak = self._with_server(case, None, watch_memory=True)
        return self._with_server(case, int(peak * 1024 * case.memory))

    def _with_server(self, case: Case, memory: int | None, watch_memory: bool = False):
        with contextlib.ExitStack() as stack:
            inside = stack.enter_context(_netns(case.ports)) if case.ports else []
            delay_us, freeze_ms, period_ms, status = case.server
            if not case.starved:
                inside = self.before_others
            argv = [str(self.program), *map(str, (delay_us, freeze_ms, period_ms, status))]
            server = proc.Running("server", [*inside, *argv], self.other_core)
            stack.callback(_end, server)
            port = _port_of(server)
            for _ in range(case.spinners):
                spinner = proc.Running("spinner", ["sh", "-c", "while :; do :; done"],
                                       self.load_core)
                stack.callback(_end, spinner)
            return self._load(case, stack, inside, port, memory, watch_memory)

    def _load(self, case: Case, stack, inside, port: int, memory, watch_memory):
        directory = Path(tempfile.mkdtemp(dir=self.directory))
        plan = directory / f"plan.{case.suffix}"
        plan.write_text(self._plan(case, port))
        argv = [self.plimsoll, "run", str(plan), "--quiet", "--summary-json", "summary.json"]
        if case.files:
            argv = ["prlimit", f"--nofile={case.files}:{case.files}", *argv]
        for controller, limit in (("cpu", case.quota), ("memory", memory)):
            if limit:
                group = stack.enter_context(Cgroup(controller))
                (group.quota if controller == "cpu" else group.memory)(limit)
                argv = group.enter_argv(argv)
        running = proc.Running("plimsoll", [*inside, *argv], self.load_core, cwd=directory)
        watch = Watch(running.pid)
        if case.stop:
            after_s, lasts_s = case.stop
            if not running.ended_within(after_s):
                running.signal(signal.SIGSTOP)
                time.sleep(lasts_s)
                running.signal(signal.SIGCONT)
        finished = running.wait(LONGEST_S, watch_memory)
        if watch_memory:
            watch.end()
            return finished.peak_rss_kib
        return _outcome(case, finished, directory, *watch.end())

    def _plan(self, case: Case, port: int) -> str:
        more = ""
        if case.target == "refused":
            port = _unused_port()
        target = f"http://127.0.0.1:{port}"
        if case.target == "unknown":
            target = "http://nowhere.invalid"
            more = f'dns-servers: ["{self.names.address}"]\n'
        text = case.plan.replace("{target}", target)
        return text.replace("{host}", "127.0.0.1").replace("{port}", str(port)) + more


def _outcome(case, finished, directory, waited, steal, seconds) -> Outcome:
    outcome = Outcome(case.name, case.starved, False, finished.exit_code, waited=waited,
                      steal=steal, seconds=seconds)
    try:
        generator = json.loads((directory / "summary.json").read_text())["generator"]
    except OSError:
        # What the kernel killed for want of memory could not go unnoticed.
        outcome.flagged = case.memory is not None and finished.exit_code == -signal.SIGKILL
        if not outcome.flagged:
            outcome.note = finished.complaint()
        return outcome
    outcome.flagged = generator["limited"]
    outcome.reasons = generator["reasons"]
    outcome.figures = [f"{it['figure']} {it['measured_ms']:g} → {it['corrected_ms']:g} ms"
                       for it in generator.get("touched", [])]
    if (finished.exit_code == LIMITED) != outcome.flagged and finished.exit_code in (0, LIMITED):
        outcome.note = f"exit code {finished.exit_code}, but limited: {outcome.flagged}"
    if finished.timed_out:
        outcome.note = finished.complaint()
    return outcome


@contextlib.contextmanager
def _netns(ports: int):
    """A network namespace of its own with so many local ports; gives what runs in it."""
    subprocess.run(["ip", "netns", "add", NETNS], check=True)
    inside = ["ip", "netns", "exec", NETNS]
    try:
        subprocess.run([*inside, "ip", "link", "set", "lo", "up"], check=True)
        range_ = f"echo 40000 {40_000 + ports - 1} > /proc/sys/net/ipv4/ip_local_port_range"
        subprocess.run([*inside, "sh", "-c", range_], check=True)
        yield inside
    finally:
        subprocess.run(["ip", "netns", "del", NETNS], check=False)


def _end(running: proc.Running) -> None:
    running.signal(signal.SIGTERM)
    running.wait(0)


def _port_of(server: proc.Running) -> int:
    deadline = time.monotonic() + 10
    while not (port := server.stdout_so_far().strip()):
        if server.ended_within(0.02) or time.monotonic() > deadline:
            raise RuntimeError(server.wait(0).complaint())
    return int(port)


def _unused_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def matrix(outcomes: list[Outcome]) -> str:
    """The confusion matrix in Markdown, and every run that is wrong, by its name."""
    fit = [it for it in outcomes if it.fit()]
    count = lambda starved, flagged: sum(  # noqa: E731
        it.starved == starved and it.flagged == flagged for it in fit)
    lines = ["| | flagged | not flagged |", "|---|---|---|",
             f"| starved generator | {count(True, True)} | {count(True, False)} |",
             f"| fair run | {count(False, True)} | {count(False, False)} |", ""]
    wrong = [it for it in fit if not it.right()]
    lines += [f"Wrong: {len(wrong)} of {len(fit)}."]
    lines += [f"- `{it.name}`: {'not flagged' if it.starved else ', '.join(it.reasons)}"
              for it in wrong]
    unfit = [it for it in outcomes if not it.fit()]
    if unfit:
        lines += ["", f"Not judged, since they were not what they were meant to be: {len(unfit)}."]
        lines += [f"- `{it.name}`: waited {it.waited:.1%}, steal {it.steal:.1%}"
                  f"{'; ' + it.note if it.note else ''}" for it in unfit]
    lines += ["", "| run | flagged | reasons | figures, measured and without the generator's time "
              "| waited | steal |", "|---|---|---|---|---|---|"]
    lines += [f"| {it.name} | {'yes' if it.flagged else 'no'} | {', '.join(it.reasons)} | "
              f"{'; '.join(it.figures)} | {it.waited:.1%} | {it.steal:.1%} |" for it in outcomes]
    return "\n".join(lines) + "\n"


def progress(outcome: Outcome) -> None:
    """A line for whoever waits."""
    said = "right" if outcome.right() else "WRONG"
    if not outcome.fit():
        said = f"unfit ({said})"
    print(f"{outcome.name}: {said}, exit {outcome.exit_code}, {', '.join(outcome.reasons) or '–'}; "
          f"{'; '.join(outcome.figures[:2])} waited {outcome.waited:.1%} "
          f"steal {outcome.steal:.1%} {outcome.note}", file=sys.stderr, flush=True)
