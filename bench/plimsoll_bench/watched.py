"""A target under a load that goes on, and its watching, which can be held and let go on.

Runs of the same load differ by more than watching may cost. So there is one load and one target for
all of a measurement, and what is switched is the watching alone: the agent and a second run, whose
own load is one request a second, are stopped (SIGSTOP) and continued.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from . import clients, proc
from .clients import Job
from .context import SUBJECT, Context, RunFailed

# The longest period of a collector is 5 s: with windows of that length a watching that is let go
# on looks as often as one that is never held.
WINDOW_S = 5.0
LOAD_WARM_S = 5
JVM_WARM_S = 40
# A watching has begun once it has found what it watches, and has said so.
BEGIN_S = 3.0
READY_S = 20
LAB = clients.ROOT / "lab"
STARTED = re.compile(r"^(URL|MANAGEMENT_URL|PID)=(\S+)$", re.MULTILINE)


def held(running: proc.Running) -> None:
    """Stops a process where it stands."""
    running.signal(signal.SIGSTOP)


def let_go_on(running: proc.Running) -> None:
    """Continues it."""
    running.signal(signal.SIGCONT)


def get(url: str) -> bytes:
    """The body of an answer from this machine."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=30) as answer:
        return answer.read()


class NginxTarget:
    """The harness's nginx."""

    name = "nginx"
    warm_s = LOAD_WARM_S

    def __init__(self, ctx: Context):
        self._nginx = ctx.nginx
        self.url = ctx.nginx.url
        self.sources = {
            "host": ["host"],
            "process": [f"process={ctx.nginx.http}"],
            "nginx": [f"nginx=http://127.0.0.1:{ctx.nginx.status}/"],
        }

    def __enter__(self) -> "NginxTarget":
        return self

    def __exit__(self, *_) -> None:
        pass

    def requests(self) -> int:
        """Requests so far, by its own count. Asking costs it one."""
        return self._nginx.requests()


class JvmTarget:
    """The lab's service: Spring Boot on Tomcat, one core."""

    name = "Tomcat"
    warm_s = JVM_WARM_S

    def __init__(self, ctx: Context):
        self._core = ctx.server_core
        self._state = tempfile.mkdtemp(prefix="plimsoll-bench-lab-")
        self.url = ""
        self.sources: dict[str, list[str]] = {}
        self._count = ""

    def __enter__(self) -> "JvmTarget":
        own = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {self._core})
        try:
            done = self._lab("start.sh", "--name", "watched")
        finally:
            os.sched_setaffinity(0, own)
        told = dict(STARTED.findall(done.stdout))
        if done.returncode != 0 or len(told) != 3:
            self.__exit__()
            raise RunFailed("the lab's service did not start: " + done.stderr.strip()[-300:])
        self.url = f"{told['URL']}/json?size=small"
        port = told["URL"].rsplit(":", 1)[1]
        actuator = f"{told['MANAGEMENT_URL']}/actuator"
        self._count = f"{actuator}/metrics/http.server.requests?tag=uri:/json"
        self.sources = {
            "host": ["host"],
            "process": [f"process={port}"],
            "jvm": [f"jvm={port}"],
            "actuator": [f"actuator={actuator}"],
        }
        get(self.url)  # its meter exists from then on
        return self

    def __exit__(self, *_) -> None:
        self._lab("stop.sh", "watched")
        shutil.rmtree(self._state, ignore_errors=True)

    def _lab(self, script: str, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([str(LAB / script), *arguments], capture_output=True, text=True,
                              check=False, env={**os.environ, "PLIMSOLL_LAB_STATE": self._state})

    def requests(self) -> int:
        """Requests so far, by its own count. Asked on a port and a thread of its own."""
        told = json.loads(get(self._count))
        counts = [each["value"] for each in told["measurements"] if each["statistic"] == "COUNT"]
        return int(counts[0])


class Load:
    """The load that goes on while the watching comes and goes."""

    def __init__(self, ctx: Context, target, seconds: float):
        self._target = target
        self._job = Job(target.url, duration_s=seconds)
        self._ctx = ctx
        self._running: proc.Running | None = None
        self._directory: Path | None = None

    def __enter__(self) -> "Load":
        self._running, self._directory = self._ctx.start(SUBJECT, self._job)
        if self._running.ended_within(self._target.warm_s):
            raise RunFailed(self._running.wait(0).complaint())
        return self

    def __exit__(self, *_) -> None:
        end(self._running)
        shutil.rmtree(self._directory, ignore_errors=True)

    def goes_on(self) -> bool:
        return not self._running.ended_within(0)


def end(running: proc.Running) -> None:
    """Ends a process of ours, held or not."""
    let_go_on(running)
    running.signal(signal.SIGTERM)
    running.ended_within(10)
    running.wait(0)  # what has not ended by now is killed


@dataclass
class Begun:
    """What beginning to watch cost the agent."""

    cpu_s: float
    wall_s: float


class Watching:
    """An agent on the server's core and the run that asks it, on the client's. Held at first."""

    # What the agent and the run are allowed beyond looking.
    _agent_allows: list[str] = []
    _run_allows: list[str] = []

    def __init__(self, ctx: Context, target, sources: list[str], seconds: float):
        self._ctx = ctx
        argv = [str(clients.subject_binary()), "agent", "--listen", "127.0.0.1:0"]
        for source in sources:
            argv += ["--watch", source]
        self._argv = argv + self._agent_allows
        self._job = Job(target.url, connections=1, duration_s=seconds, rate=1)
        self.begun: Begun | None = None

    def __enter__(self) -> "Watching":
        self._agent = proc.Running("agent", self._argv, self._ctx.server_core, env={"LANG": "C"})
        began = time.monotonic()
        try:
            address = self._address()
            self._run, self._directory = self._ctx.start(
                SUBJECT, self._job, [f"--watch=agent={address}", *self._run_allows])
        except BaseException:
            end(self._agent)
            raise
        if self._run.ended_within(BEGIN_S):
            complaint = self._run.wait(0).complaint()
            end(self._agent)
            raise RunFailed(complaint)
        self.begun = Begun(self._agent.cpu_s(), time.monotonic() - began)
        self.hold()
        return self

    def __exit__(self, *_) -> None:
        end(self._run)
        end(self._agent)
        shutil.rmtree(self._directory, ignore_errors=True)

    def _address(self) -> str:
        deadline = time.monotonic() + READY_S
        while True:
            found = re.search(r"127\.0\.0\.1:\d+", self._agent.stdout_so_far())
            if found:
                return found.group()
            if time.monotonic() > deadline or self._agent.ended_within(0.02):
                raise RunFailed("the agent did not start: " + self._agent.stdout_so_far()[-200:])

    def hold(self) -> None:
        """Nothing of it runs from here on."""
        held(self._run)
        held(self._agent)

    def go_on(self) -> None:
        """It looks again as if it had never been held; what was due meanwhile is due once."""
        let_go_on(self._agent)
        let_go_on(self._run)

    def cpu_s(self) -> tuple[float, float]:
        """CPU time so far: the agent's, the watching run's."""
        if self._agent.ended_within(0) or self._run.ended_within(0):
            raise RunFailed("the watching ended by itself")
        return self._agent.cpu_s(), self._run.cpu_s()


class Capturing(Watching):
    """A watching that is never held, but has captures of one kind taken where another goes on."""

    _agent_allows = ["--allow", "capture"]
    _run_allows = ["--watch-allow-capture"]

    def __init__(self, ctx: Context, target, kind: str, seconds: float, source: str = "jvm"):
        super().__init__(ctx, target, target.sources[source], seconds)
        self._kind = kind
        self._taking: subprocess.Popen | None = None

    def hold(self) -> None:
        """What was asked for has been taken."""
        if self._taking is None:
            return
        told = self._taking.communicate(timeout=30)[0]
        if self._taking.returncode != 0:
            raise RunFailed(f"{self._kind} was not taken: {told[-200:]}")

    def go_on(self) -> None:
        """Asks for captures of the kind."""
        argv = [str(clients.subject_binary()), "captures", "--out", str(self._directory / "run"),
                "last", "--take", self._kind]
        self._taking = subprocess.Popen(
            ["taskset", "-c", str(self._ctx.client_core), *argv], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
