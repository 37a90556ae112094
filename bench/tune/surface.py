#!/usr/bin/env python3
"""Measures a response surface: every point of a grid of settings on a real system, some of them again.

surface.py NAME [--again N] [--seconds N] [--time S] [--list]

The order is drawn from a fixed seed, so that what drifts does not look like a setting; points that are measured
again lie among the others. Each point is a line of data/NAME.jsonl (its place in the grid, the values, figures,
the time) and is not measured again: the script goes on where it stopped. --time ends it after so many seconds, for
a machine that others need, too. --again N measures the point that the search starts from N times, with a start of its
own each time (data/NAME-again.jsonl): what differs is the machine's. The search of `plimsoll tune` is replayed on the data: crates/tune/tests/surfaces.rs,
bench/TUNE.md.

environment: PLIMSOLL (the binary; default target/release/plimsoll)
"""

import argparse
import itertools
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PLIMSOLL = os.environ.get("PLIMSOLL", str(ROOT / "target" / "release" / "plimsoll"))
# So much of the grid is measured three times in all.
REPEATED = 0.1
SEED = 7


class PointFailed(Exception):
    """A point that could not be measured, and why."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port: int, process: subprocess.Popen, host: str = "127.0.0.1") -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if process.poll() is not None:
            raise PointFailed(f"a server ended with code {process.returncode}")
        try:
            socket.create_connection((host, port), 1).close()
            return
        except OSError:
            time.sleep(0.02)
    raise PointFailed("a server was not ready in time")


def end(process: subprocess.Popen | None, by: signal.Signals = signal.SIGTERM) -> None:
    if process is None or process.poll() is not None:
        return
    process.send_signal(by)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def nginx_command(folder: Path, name: str, workers: int, http: str) -> list[str]:
    """The command of an nginx with a folder and a configuration of its own."""
    own = folder / name
    own.mkdir(exist_ok=True)
    user = "user root;" if os.geteuid() == 0 else ""
    temps = "".join(
        f"{each}_temp_path {own}/{each};"
        for each in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (own / "nginx.conf").write_text(
        f"{user} worker_processes {workers}; daemon off; pid {own}/pid; error_log {own}/error.log;"
        f"events {{ worker_connections 1024; }} http {{ access_log off; {temps} {http} }}"
    )
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    return [nginx, "-p", str(own), "-c", str(own / "nginx.conf")]


def start_nginx(folder: Path, name: str, workers: int, http: str) -> subprocess.Popen:
    return subprocess.Popen(nginx_command(folder, name, workers, http))


def passed_on(port: int, back_port: int, kept: int) -> str:
    """Of nginx's configuration: a server that passes requests on, and keeps so many connections for that."""
    keepalive = f"keepalive {kept};" if kept else ""
    version, connection = ("1.1", '""') if kept else ("1.0", "close")
    return f"""
        keepalive_requests 1000000; upstream back {{ server 127.0.0.1:{back_port}; {keepalive} }}
        server {{ listen 127.0.0.1:{port} backlog=1024;
            location / {{ proxy_pass http://back; proxy_http_version {version};
                proxy_set_header Connection {connection}; }} }}"""


def in_turn(rounds: range, ways: list[Callable[[], float]]) -> list[list[float]]:
    """What each way gives, round by round; the order changes from one to the next."""
    given = []
    for number in rounds:
        places = list(range(len(ways)))
        rates = {at: ways[at]() for at in (places if number % 2 == 0 else reversed(places))}
        given.append([rates[at] for at in places])
    return given


def studied(plimsoll: str, study: dict, folder: Path) -> dict:
    """What `plimsoll tune` says of a study."""
    place = folder / "study.yaml"
    place.write_text(json.dumps(study))
    return told(plimsoll, [str(place)], folder)


def told(plimsoll: str, words: list[str], folder: Path) -> dict:
    """What `plimsoll tune` with such words says."""
    said = folder / "tune.json"
    made = subprocess.run(
        [plimsoll, "tune", *words, "--out", str(folder / "runs"), "--output", str(said)],
        check=False, stdin=subprocess.DEVNULL,
    )
    if not said.exists():
        raise PointFailed(f"the study ended with code {made.returncode}")
    return json.loads(said.read_text())


class NginxProxy:
    """nginx as a proxy for JSON of 24 kB that another nginx serves: workers, connections kept to it, gzip, buffers."""

    knobs = {
        "worker_processes": [1, 2, 3, 4, 8],
        "upstream_keepalive": [0, 1, 4, 16],
        "gzip_comp_level": [0, 1, 6],
    }
    users = 32
    warm_up_s = 0.5

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.front: subprocess.Popen | None = None
        self.back_port, self.port = free_port(), free_port()
        (folder / "www").mkdir()
        rng = random.Random(SEED)
        rows = [
            {"id": n, "name": rng.choice(["bolt", "nut", "cable", "lamp"]), "price": rng.randrange(10_000)}
            for n in range(500)
        ]
        (folder / "www" / "items.json").write_text(json.dumps(rows))
        back = f"""
            server {{ listen 127.0.0.1:{self.back_port} backlog=1024; root {folder}/www; }}
            keepalive_requests 1000000; default_type application/json;"""
        self.back = start_nginx(folder, "back", 1, back)
        wait_for(self.back_port, self.back)

    def apply(self, values: dict) -> None:
        end(self.front)
        kept, level = values["upstream_keepalive"], values["gzip_comp_level"]
        gzip = f"gzip on; gzip_comp_level {level}; gzip_types application/json; gzip_proxied any;"
        http = (gzip if level else "gzip off;") + passed_on(self.port, self.back_port, kept)
        self.front = start_nginx(self.folder, "front", values["worker_processes"], http)
        wait_for(self.port, self.front)

    def load(self) -> list[str]:
        return [f"http://127.0.0.1:{self.port}/items.json", "-H", "Accept-Encoding: gzip"]

    def close(self) -> None:
        end(self.front)
        end(self.back)


def start_fpm(folder: Path, port: int, children: int, settings: str = "") -> subprocess.Popen:
    """A PHP-FPM with so many children, and a pool's further settings."""
    conf = folder / "fpm.conf"
    conf.write_text(
        f"[global]\nerror_log = {folder}/fpm.log\ndaemonize = no\n[www]\n"
        f"listen = 127.0.0.1:{port}\nlisten.backlog = 1024\npm = static\npm.max_children = {children}\n"
        f"user = nobody\ngroup = nogroup\n{settings}"
    )
    os.chmod(folder, 0o755)
    program = next(Path("/usr/sbin").glob("php-fpm[0-9]*"))
    process = subprocess.Popen([str(program), "-R", "-F", "-y", str(conf)], stderr=subprocess.DEVNULL)
    wait_for(port, process)
    return process


def asked_of_php(folder: Path, port: int, pool_port: int) -> str:
    """Of nginx's configuration: a server whose requests PHP-FPM answers with the folder's script."""
    return f"""server {{ listen 127.0.0.1:{port} backlog=1024; location / {{ fastcgi_pass 127.0.0.1:{pool_port};
                fastcgi_param SCRIPT_FILENAME {folder}/index.php; fastcgi_param REQUEST_METHOD GET; }} }}"""


class PhpPool:
    """nginx before PHP-FPM, whose script asks a neighbour (10 ms) and makes 20 kB of JSON: children, compiled scripts
    kept, buffers for responses, gzip."""

    knobs = {
        "pm_max_children": [1, 2, 4, 8, 16],
        "opcache_enable": [0, 1],
        "fastcgi_buffer_kb": [4, 16],
        "gzip_comp_level": [1, 0, 6],
    }
    users = 24
    warm_up_s = 0.5

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.php: subprocess.Popen | None = None
        self.nginx: subprocess.Popen | None = None
        self.pool_port, self.port = free_port(), free_port()
        functions = "".join(
            f"function f{n}($x) {{ return ['id' => $x, 'name' => 'item {n} of ' . $x, 'price' => $x * {n}]; }}\n"
            for n in range(400)
        )
        (folder / "index.php").write_text(
            f"<?php\n{functions}usleep(10000);\n$rows = [];\n"
            "for ($n = 0; $n < 400; $n++) { $rows[] = ('f' . $n)($n); }\n"
            "header('Content-Type: application/json');\necho json_encode($rows);\n"
        )

    def apply(self, values: dict) -> None:
        end(self.nginx)
        end(self.php)
        opcache = f"php_admin_value[opcache.enable] = {values['opcache_enable']}\n"
        self.php = start_fpm(self.folder, self.pool_port, values["pm_max_children"], opcache)
        kb, level = values["fastcgi_buffer_kb"], values["gzip_comp_level"]
        gzip = f"gzip on; gzip_comp_level {level}; gzip_types application/json;" if level else "gzip off;"
        self.nginx = start_nginx(self.folder, "nginx", 1, f"""
            {gzip} keepalive_requests 1000000; fastcgi_buffer_size {kb}k; fastcgi_buffers 2 {kb}k;
            fastcgi_busy_buffers_size {kb}k;
            {asked_of_php(self.folder, self.port, self.pool_port)}""")
        wait_for(self.port, self.nginx)

    def load(self) -> list[str]:
        return [f"http://127.0.0.1:{self.port}/", "-H", "Accept-Encoding: gzip"]

    def close(self) -> None:
        end(self.nginx)
        end(self.php)


class PhpPostgres:
    """nginx before PHP-FPM, whose script asks a neighbour (40 ms) and PostgreSQL, which sorts 3,000 rows: children, memory
    that a sort may use, workers that may help with a query."""

    knobs = {
        "pm_max_children": [1, 2, 4, 8, 16],
        "work_mem_kb": [64, 1024, 16384],
        "max_parallel_workers_per_gather": [0, 1, 2],
    }
    users = 24
    warm_up_s = 1

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.php: subprocess.Popen | None = None
        self.postgres: subprocess.Popen | None = None
        self.postgres_port, self.pool_port, self.port = free_port(), free_port(), free_port()
        self.user = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
        self.data = folder / "data"
        self.data.mkdir()
        os.chmod(folder, 0o755)
        if self.user:
            shutil.chown(self.data, "postgres", "postgres")
        self.programs = max(Path("/usr/lib/postgresql").glob("*/bin"))
        subprocess.run(
            [str(self.programs / "initdb"), "-D", str(self.data), "-U", "shop", "-A", "trust", "--no-sync"],
            check=True, stdout=subprocess.DEVNULL, cwd="/", **self.user,
        )
        (folder / "index.php").write_text(
            f"<?php\n$db = new PDO('pgsql:host=127.0.0.1;port={self.postgres_port};dbname=postgres', 'shop', '',\n"
            "    [PDO::ATTR_PERSISTENT => true, PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);\nusleep(40000);\n"
            "$rows = $db->query(\"select id, price, note from items where region = \" . rand(0, 2) . \" order by note, price\n"
            "    offset 3000 limit 50\")->fetchAll(PDO::FETCH_ASSOC);\n"
            "header('Content-Type: application/json');\necho json_encode($rows);\n"
        )
        self.start_postgres(self.knobs["work_mem_kb"][0], 0)
        subprocess.run(
            ["psql", "-q", "-h", "127.0.0.1", "-p", str(self.postgres_port), "-U", "shop", "-d", "postgres", "-c",
             "create table items as select id, id % 3 as region, id % 1000 as price, md5(id::text) || md5((id * 7)::text)"
             " as note from generate_series(1, 10000) id; analyze items"],
            check=True, cwd="/",
        )
        self.nginx = start_nginx(folder, "nginx", 1, "keepalive_requests 1000000; "
                                 + asked_of_php(folder, self.port, self.pool_port))
        wait_for(self.port, self.nginx)

    def start_postgres(self, work_mem_kb: int, workers: int) -> None:
        settings = {
            "port": self.postgres_port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "",
            "work_mem": f"{work_mem_kb}kB", "max_parallel_workers_per_gather": workers,
            # The table is small; workers are asked for all the same.
            "min_parallel_table_scan_size": 0, "parallel_setup_cost": 0, "parallel_tuple_cost": 0,
        }
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        self.postgres = subprocess.Popen(
            [str(self.programs / "postgres"), "-D", str(self.data), *words], cwd="/", stderr=subprocess.DEVNULL, **self.user
        )
        wait_for(self.postgres_port, self.postgres)

    def apply(self, values: dict) -> None:
        end(self.php)
        end(self.postgres, signal.SIGINT)
        self.start_postgres(values["work_mem_kb"], values["max_parallel_workers_per_gather"])
        self.php = start_fpm(self.folder, self.pool_port, values["pm_max_children"])

    def load(self) -> list[str]:
        return [f"http://127.0.0.1:{self.port}/"]

    def close(self) -> None:
        end(self.nginx)
        end(self.php)
        end(self.postgres, signal.SIGINT)


class PythonWorkers:
    """nginx before gunicorn, whose handler asks a neighbour (15 ms) and computes for about 1 ms: processes, threads of each,
    connections kept to it."""

    knobs = {
        "workers": [1, 2, 3, 4, 8],
        "threads": [1, 2, 4, 8],
        "upstream_keepalive": [0, 16],
    }
    users = 32
    warm_up_s = 1

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.gunicorn: subprocess.Popen | None = None
        self.nginx: subprocess.Popen | None = None
        self.back_port, self.port = free_port(), free_port()
        (folder / "shop.py").write_text(
            "import json, time\nrows = [{'id': n, 'price': n * 3, 'name': 'item %d' % n} for n in range(300)]\n"
            "def app(environ, start):\n    time.sleep(0.015)\n    body = json.dumps(rows, indent=1).encode()\n"
            "    start('200 OK', [('Content-Type', 'application/json'), ('Content-Length', str(len(body)))])\n"
            "    return [body]\n"
        )

    def apply(self, values: dict) -> None:
        end(self.nginx)
        end(self.gunicorn)
        with open(self.folder / "gunicorn.log", "ab") as log:
            self.gunicorn = subprocess.Popen(
                ["/usr/bin/python3", "-m", "gunicorn", "--chdir", str(self.folder), "--bind", f"127.0.0.1:{self.back_port}",
                 "--workers", str(values["workers"]), "--worker-class", "gthread", "--threads", str(values["threads"]),
                 "--backlog", "1024", "--keep-alive", "30", "shop:app"],
                stdout=log, stderr=log,
            )
        wait_for(self.back_port, self.gunicorn)
        http = passed_on(self.port, self.back_port, values["upstream_keepalive"])
        self.nginx = start_nginx(self.folder, "nginx", 1, http)
        wait_for(self.port, self.nginx)

    def load(self) -> list[str]:
        return [f"http://127.0.0.1:{self.port}/"]

    def close(self) -> None:
        end(self.nginx)
        end(self.gunicorn)


class LabCase:
    """A case of the lab, whose service is started anew with other settings."""

    case: str

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = f"surface-{os.getpid()}"
        lab = str(ROOT / "lab" / "plimsoll-lab")
        self.lab = [lab]
        self.app: subprocess.Popen | None = None
        try:
            self.bring_up()
        except BaseException:
            self.close()
            raise

    def bring_up(self) -> None:
        """Has the lab start the case, and takes over its service."""
        up = subprocess.run(
            [*self.lab, "up", self.case, "--seed", str(SEED), "--name", self.name],
            check=True, capture_output=True, text=True,
        )
        values = dict(line.split("=", 1) for line in up.stdout.splitlines() if "=" in line)
        values = {name: value.strip("'") for name, value in values.items()}
        pid = int(values["APP_PID"])
        self.command = [
            word.decode() for word in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") if word
        ]
        self.plan = values["PLAN"]
        self.port = int(values["APP_HTTP_PORT"])
        self.stop(pid)
        facts = self.app_facts()
        self.host = facts["host"]
        if facts["netns"]:
            self.command = ["nsenter", f"--net={facts['netns']}", *self.command]

    def app_facts(self) -> dict:
        """What the lab knows of the service."""
        facts = json.loads((ROOT / "lab" / ".state" / self.name / "instance.json").read_text())
        return next(each for each in facts["tiers"] if each["name"] == "app")

    @staticmethod
    def stop(pid: int) -> None:
        """Ends the service that the lab has started."""
        os.kill(pid, signal.SIGTERM)
        while Path(f"/proc/{pid}").exists():
            time.sleep(0.05)

    def options(self, _: dict) -> list[str]:
        """Options of the JVM."""
        return []

    def arguments(self, _: dict) -> list[str]:
        """Arguments of the service."""
        return []

    def apply(self, values: dict) -> None:
        jar = self.command.index("-jar")
        self.start([*self.command[:jar], *self.options(values), *self.command[jar:], *self.arguments(values)])

    def start(self, command: list[str]) -> None:
        end(self.app)
        with open(self.folder / "app.log", "ab") as log:
            self.app = subprocess.Popen(command, stdout=log, stderr=log)
        wait_for(self.port, self.app, self.host)

    def load(self) -> list[str]:
        return [self.plan]

    def close(self) -> None:
        end(self.app)
        subprocess.run([*self.lab, "down", self.name], check=True, stdout=subprocess.DEVNULL)


class TomcatPool(LabCase):
    """The lab's service on Tomcat with MariaDB and a partner: worker threads, connections of the pool, requests that
    a connection may have."""

    case = "two-pool-threads"
    knobs = {
        "tomcat_threads_max": [4, 8, 16, 32, 64],
        "hikari_maximum_pool_size": [2, 4, 8, 16],
        "tomcat_max_keep_alive_requests": [1, -1],
    }
    users = 48
    warm_up_s = 4

    def arguments(self, values: dict) -> list[str]:
        threads = values["tomcat_threads_max"]
        return [
            f"--server.tomcat.threads.max={threads}",
            f"--server.tomcat.threads.min-spare={threads}",
            f"--spring.datasource.hikari.maximum-pool-size={values['hikari_maximum_pool_size']}",
            f"--server.tomcat.max-keep-alive-requests={values['tomcat_max_keep_alive_requests']}",
        ]


class JvmHeap(LabCase):
    """The lab's service with requests that allocate much: heap, collector, worker threads."""

    case = "control-allocation"
    knobs = {
        "heap_mb": [48, 64, 96, 192],
        "collector": [0, 1, 2],
        "tomcat_threads_max": [1, 2, 8, 32],
    }
    collectors = ["Serial", "Parallel", "G1"]
    users = 32
    # With --seconds 6. Neither lessens what differs from one start to the next.
    warm_up_s = 8

    def options(self, values: dict) -> list[str]:
        return [f"-Xmx{values['heap_mb']}m", f"-XX:+Use{self.collectors[values['collector']]}GC"]

    def arguments(self, values: dict) -> list[str]:
        threads = values["tomcat_threads_max"]
        return [f"--server.tomcat.threads.max={threads}", f"--server.tomcat.threads.min-spare={threads}"]


SURFACES = {
    "nginx-proxy": NginxProxy,
    "php-pool": PhpPool,
    "tomcat-pool": TomcatPool,
    "jvm-heap": JvmHeap,
    "python-workers": PythonWorkers,
    "php-postgres": PhpPostgres,
}


def points(knobs: dict) -> list[tuple[int, dict]]:
    """The grid in the order of measuring: (repeat, values)."""
    grid = [dict(zip(knobs, each)) for each in itertools.product(*knobs.values())]
    rng = random.Random(SEED)
    again = rng.sample(grid, max(1, round(REPEATED * len(grid))))
    todo = [(0, each) for each in grid] + [(n, each) for each in again for n in (1, 2)]
    rng.shuffle(todo)
    return todo


def measure(system, plimsoll: str, seconds: float, folder: Path) -> dict:
    summary = folder / "summary.json"
    summary.unlink(missing_ok=True)
    milliseconds = round(1000 * (system.warm_up_s + seconds))
    made = subprocess.run(
        [
            plimsoll, "run", *system.load(), "--users", str(system.users), "--warm-up", f"{round(1000 * system.warm_up_s)}ms",
            "--duration", f"{milliseconds}ms", "--quiet", "--summary-json", str(summary), "--out", str(folder / "runs"),
        ],
        check=False, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL,
        timeout=60 + 4 * (system.warm_up_s + seconds),
    )
    # 1: a goal was missed; 4: the generator took its part of the CPUs, which the line says.
    if made.returncode not in (0, 1, 4):
        raise PointFailed(f"a run ended with code {made.returncode}")
    total = json.loads(summary.read_text())["total"]
    shutil.rmtree(folder / "runs")
    return {
        "throughput_per_s": round(total["throughput_per_s"] * (1 - total["error_rate"]), 2),
        "p99_ms": round(total["ok_response_time_ms"]["p99"], 3),
        "error_rate": total["error_rate"],
        "generator_limited": made.returncode == 4,
    }


def whole_lines(data: Path) -> list[dict]:
    """The points that are there. One that was being written when the script was killed is cut off."""
    if not data.exists():
        return []
    text = data.read_text()
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        data.write_text(whole)
    return [json.loads(line) for line in whole.splitlines()]


def attempt(system, values: dict, args, folder: Path) -> dict | None:
    """The figures of a point; none where it failed twice."""
    for _ in range(2):
        try:
            system.apply(values)
            return measure(system, args.plimsoll, args.seconds, folder)
        except (PointFailed, OSError, subprocess.SubprocessError, KeyError, ValueError) as error:
            print(f"{values}: {error}", file=sys.stderr)
    return None


def measure_all(kind, todo: list, args, data: Path) -> list[dict]:
    """Measures what is left, as far as the time goes; gives the points at which the system failed."""
    until = time.monotonic() + args.time if args.time else float("inf")
    failed, longest = [], 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        system = kind(folder)
        try:
            for repeat, values in todo:
                begun = time.monotonic()
                if begun + longest > until:
                    break
                figures = attempt(system, values, args, folder)
                if figures is None:
                    failed.append(values)
                    continue
                line = {"repeat": repeat, "values": values, **figures, "at": round(time.time())}
                with data.open("a") as file:
                    file.write(json.dumps(line) + "\n")
                longest = max(longest, time.monotonic() - begun)
        finally:
            system.close()
    return failed


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=SURFACES)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--time", type=float)
    parser.add_argument("--again", type=int)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--plimsoll", default=PLIMSOLL)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    if args.time is not None and args.time <= 0:
        print(f"{args.name}: no time is left", file=sys.stderr)
        return
    data = HERE / "data" / f"{args.name}{'-again' if args.again else ''}.jsonl"
    data.parent.mkdir(exist_ok=True)
    done = {(line["repeat"], json.dumps(line["values"])) for line in whole_lines(data)}
    kind = SURFACES[args.name]
    start = {name: values[0] for name, values in kind.knobs.items()}
    wanted = [(number, start) for number in range(args.again)] if args.again else points(kind.knobs)
    todo = [each for each in wanted if (each[0], json.dumps(each[1])) not in done]
    print(f"{data.name}: {len(done)} points are there, {len(todo)} are left", file=sys.stderr)
    if args.list or not todo:
        return
    # A signal is to end what was started, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    failed = measure_all(kind, todo, args, data)
    left = len(wanted) - len(whole_lines(data))
    print(f"{data.name}: {left} points are left, {len(failed)} failed", file=sys.stderr)
    if failed:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
