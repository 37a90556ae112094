"""Every load generator's command line for the same job, and how to find it."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
ROOT = BENCH.parent
PEERS = BENCH / ".peers"

# JMeter's own defaults for the JVM. Gatling, seeing one processor, makes one actor
# thread and waits on it for ever: it is told of two, and still runs on one core.
JMETER_JVM = ["-Xms1g", "-Xmx1g", "-XX:MaxMetaspaceSize=256m", "-XX:+UseG1GC",
              "-XX:MaxGCPauseMillis=250", "-XX:G1ReservePercent=20"]
GATLING_JVM = ["-Xms512m", "-Xmx1g", "-XX:ActiveProcessorCount=2",
               "--add-opens=java.base/java.lang=ALL-UNNAMED"]
# Gatling looks for a newer release when it starts; here that look-up ends at once.
NO_UPDATE_CHECK = ["-Dhttps.proxyHost=127.0.0.1", "-Dhttps.proxyPort=9"]

# Another build of plimsoll, PLIMSOLL_BEFORE.
BEFORE = "plimsoll before"
PEER_NAMES = ["wrk", "wrk2", "h2load", "ab", "oha", "vegeta", "k6", "JMeter", "Gatling"]


@dataclass(frozen=True)
class Job:
    """What to ask of a client. One of duration_s and requests; rate per second."""

    url: str
    connections: int = 64
    duration_s: float = 2
    requests: int | None = None
    rate: float | None = None
    plan: str | None = None
    """A .jmx of bench/jmeter that is run instead of plain GETs (plimsoll and JMeter only)."""
    pinned: bool = True
    """Whether the client runs on its core alone, and not on all, the server's among them."""


def subject_binary() -> Path | None:
    """plimsoll, from PLIMSOLL_BIN or target/release; None if it is not built."""
    path = Path(os.environ.get("PLIMSOLL_BIN") or ROOT / "target" / "release" / "plimsoll")
    return path.resolve() if os.access(path, os.X_OK) else None


def binary(name: str) -> str | None:
    """The program of a peer, installed by peers.sh or the system; None if missing."""
    if name == "JMeter":
        jar = PEERS / "jmeter" / "bin" / "ApacheJMeter.jar"
        return str(jar) if jar.is_file() and shutil.which("java") else None
    if name == "Gatling":
        classes = PEERS / "gatling" / "classes"
        made = (classes / "GetSimulation.class").is_file() and shutil.which("java")
        return str(classes) if made else None
    if name == BEFORE:
        path = os.environ.get("PLIMSOLL_BEFORE", "")
        return str(Path(path).resolve()) if os.access(path, os.X_OK) else None
    own = PEERS / "bin" / name
    return str(own) if os.access(own, os.X_OK) else shutil.which(name)


def plimsoll(job: Job, directory: Path, program: str = "") -> list[str]:
    """`plimsoll run URL` or PLAN; the summary goes to directory/summary.json."""
    program = program or str(subject_binary())
    if job.plan:
        threads = ["--threads", "1"] if job.pinned else []
        return [program, "run", str(BENCH / "jmeter" / job.plan), *threads,
                "--quiet", "--out", str(directory / "run"),
                "--summary-json", str(directory / "summary.json"), *_properties(job, directory)]
    argv = [program, "run", job.url, "--threads", "1", "--quiet",
            "--out", str(directory / "run"), "--summary-json", str(directory / "summary.json")]
    if job.requests is None:
        argv += ["--connections", str(job.connections), "--duration", f"{job.duration_s:g}s"]
    else:
        argv += ["--users", "1", "--iterations", str(job.requests)]
    if job.rate is not None:
        argv += ["--rate", f"{job.rate:g}/s"]
    if job.url.startswith("https:"):
        argv.append("-k")
    return argv


def _before(job: Job, directory: Path) -> list[str]:
    return plimsoll(job, directory, binary(BEFORE))


def _wrk(job: Job, _directory: Path) -> list[str]:
    return ["wrk", "-t1", f"-c{job.connections}", f"-d{job.duration_s:g}s", job.url]


def _h2load(job: Job, _directory: Path) -> list[str]:
    argv = ["h2load", "--h1", "-t1", f"-c{job.connections}", "-D", f"{job.duration_s:g}s"]
    if job.rate is not None:
        argv.append(f"--rps={job.rate / job.connections:.6g}")
    return argv + [job.url]


def _ab(job: Job, _directory: Path) -> list[str]:
    # -t alone implies -n 50000: -n after it lifts that.
    return ["ab", "-q", "-k", "-c", str(job.connections), "-t", f"{job.duration_s:g}",
            "-n", "100000000", job.url]


def _oha(job: Job, _directory: Path) -> list[str]:
    argv = [binary("oha"), "--no-tui", "--output-format", "json", "-c", str(job.connections)]
    argv += ["-z", f"{job.duration_s:g}s"] if job.requests is None else ["-n", str(job.requests)]
    if job.rate is not None:
        argv += ["-q", f"{job.rate:g}"]
    if job.url.startswith("https:"):
        argv.append("--insecure")
    return argv + [job.url]


def _vegeta(job: Job, directory: Path) -> list[str]:
    (directory / "targets").write_text(f"GET {job.url}\n")
    argv = [binary("vegeta"), "attack", "-targets", str(directory / "targets"),
            "-output", str(directory / "vegeta.bin"), "-duration", f"{job.duration_s:g}s"]
    if job.rate is None:
        return argv + ["-rate", "0", "-max-workers", str(job.connections)]
    return argv + ["-rate", f"{job.rate:g}/1s"]


def _k6(job: Job, directory: Path) -> list[str]:
    argv = [binary("k6"), "run", "--quiet", "--no-usage-report", "--summary-export",
            str(directory / "k6.json"), "--summary-trend-stats", "p(50),p(99),p(99.9),max",
            "-e", f"URL={job.url}"]
    if job.rate is not None:
        return argv + ["-e", f"RATE={job.rate:g}", "-e", f"SECONDS={job.duration_s:g}",
                       "-e", f"USERS={job.connections}", str(BENCH / "k6" / "rate.js")]
    argv += ["--vus", str(job.connections)]
    argv += (["--duration", f"{job.duration_s:g}s"] if job.requests is None
             else ["--iterations", str(job.requests)])
    return argv + [str(BENCH / "k6" / "get.js")]


def _properties(job: Job, directory: Path) -> list[str]:
    """What the plans of bench/jmeter are told, by both who can run them."""
    host, port = re.fullmatch(r"https?://([^:/]+):(\d+)/.*", job.url).groups()
    accounts = directory / "accounts.csv"
    accounts.write_text("".join(f"account{n},secret{n}\n" for n in range(1000)))
    loops = "-1" if job.requests is None else str(job.requests)
    return [f"-Jhost={host}", f"-Jport={port}", f"-Jusers={job.connections}",
            f"-Jseconds={job.duration_s:g}", f"-Jloops={loops}", f"-Jcsv={accounts}"]


def _jmeter(job: Job, directory: Path) -> list[str]:
    return ["java", *JMETER_JVM, f"-Djava.util.prefs.userRoot={directory}", "-jar",
            binary("JMeter"), "-n", "-t", str(BENCH / "jmeter" / (job.plan or "get.jmx")),
            "-j", str(directory / "jmeter.log"), *_properties(job, directory)]


def _gatling(job: Job, directory: Path) -> list[str]:
    home = PEERS / "gatling"
    return ["java", *GATLING_JVM, *NO_UPDATE_CHECK, f"-Djava.util.prefs.userRoot={directory}",
            f"-Durl={job.url}", f"-Dusers={job.connections}", f"-Dseconds={job.duration_s:g}",
            "-cp", f"{home}/classes:{home}/lib/*", "io.gatling.app.Gatling",
            "-s", "GetSimulation", "-nr", "-rf", str(directory / "gatling")]


COMMANDS = {
    "plimsoll": plimsoll, BEFORE: _before, "wrk": _wrk, "h2load": _h2load, "ab": _ab, "oha": _oha,
    "vegeta": _vegeta, "k6": _k6, "JMeter": _jmeter, "Gatling": _gatling,
}


def _first_line(argv: list[str]) -> str:
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0] if lines else ""


def version(name: str) -> str | None:
    """The version of an installed client; None if it is missing."""
    program = str(subject_binary() or "") if name == "plimsoll" else binary(name)
    if not program:
        return None
    pinned = {"vegeta": ("vegeta/go.mod", r"vegeta/v12 v(\S+)"),
              "JMeter": ("jmeter/pom.xml", r"<jmeter.version>(.*?)<"),
              "Gatling": ("gatling/pom.xml", r"<gatling.version>(.*?)<")}
    if name in pinned:
        file, pattern = pinned[name]
        found = re.search(pattern, (BENCH / file).read_text())
    else:
        flag = {"wrk": "-v", "ab": "-V"}.get(name, "version" if name == "k6" else "--version")
        found = re.search(r"\d+\.\d+[\w.\-]*", _first_line([program, flag]))
    return found.group(found.lastindex or 0) if found else "?"
