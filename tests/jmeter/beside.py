"""What some plans need beside the recording server: a MariaDB, a Graphite receiver, servers of raw bytes and of
WebSocket, an agent of PerfMon's and more. Each is a context with `options` for JMeter's and Plimsoll's command line."""
import contextlib
import os
import pathlib
import re
import shutil
import socket
import socketserver
import subprocess
import tempfile
import threading
import time

from raw_server import RawServer
from websocket_server import WebSockets

START_S = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class MariaDb:
    """A MariaDB with an empty database `test` and the user `tester`."""

    def __enter__(self):
        server, install = shutil.which("mariadbd"), shutil.which("mariadb-install-db")
        if not server or not install:
            raise RuntimeError("mariadbd is not installed: run tools/setup.sh test")
        self.folder = tempfile.TemporaryDirectory()
        self.port = free_port()
        folder = pathlib.Path(self.folder.name)
        # A server that starts removes the temporary tables of all others in the same folder.
        data = ["--no-defaults", f"--datadir={folder / 'data'}", f"--tmpdir={folder}", *user(folder)]
        made = subprocess.run([install, *data, "--auth-root-authentication-method=normal", "--skip-test-db"],
                              cwd="/", capture_output=True, text=True, check=False)
        if made.returncode:
            raise RuntimeError(f"mariadb-install-db failed: {made.stdout[-2000:]}{made.stderr[-2000:]}")
        init = folder / "init.sql"
        init.write_text("create database test character set utf8mb4;\n"
                        "create user tester@'%' identified by 'secret';\n"
                        "grant all on test.* to tester@'%';\n")
        init.chmod(0o644)
        self.process = subprocess.Popen(
            [server, *data, f"--port={self.port}", "--bind-address=127.0.0.1",
             f"--socket={folder / 'socket'}", f"--init-file={init}",
             "--innodb-buffer-pool-size=16M", "--skip-name-resolve", "--skip-log-bin"],
            cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.options = [f"-Jdb_port={self.port}"]
        self.wait()
        return self

    def wait(self):
        """Until it takes connections; what runs at its start is done then."""
        until = time.monotonic() + START_S
        while time.monotonic() < until and self.process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1) as there:
                    if there.recv(1):
                        return
            except OSError:
                time.sleep(0.05)
        self.__exit__()
        raise RuntimeError("MariaDB does not start")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def text(self, text):
        """A text without what is of this server."""
        return re.sub(rf"(?<!\d){self.port}(?!\d)", "DBPORT", text)

    def files(self):
        return {}


class Redis:
    """A Redis with lists and sets of rows."""

    ROWS = (("select", "0"), ("rpush", "users", "Ann,1", "Bob,2", "Cleo"), ("sadd", "kept", "a;b"),
            ("rpush", "numbers", "1", "2", "3", "4"), ("select", "3"), ("rpush", "elsewhere", "x1", "x2"))

    def __enter__(self):
        server = shutil.which("redis-server")
        if not server:
            raise RuntimeError("redis-server is not installed: run tools/setup.sh test")
        self.folder = tempfile.TemporaryDirectory()
        self.port = free_port()
        self.process = subprocess.Popen(
            [server, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", self.folder.name],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.options = [f"-Jredis_port={self.port}"]
        until = time.monotonic() + START_S
        while time.monotonic() < until and self.process.poll() is None:
            try:
                self.fill()
                return self
            except OSError:
                time.sleep(0.05)
        self.__exit__()
        raise RuntimeError("Redis does not start")

    def fill(self):
        with socket.create_connection(("127.0.0.1", self.port), 5) as there, there.makefile("rb") as said:
            for command in self.ROWS:
                words = "".join(f"${len(word)}\r\n{word}\r\n" for word in command)
                there.sendall(f"*{len(command)}\r\n{words}".encode())
                if said.readline()[:1] not in b"+:":
                    raise RuntimeError(f"Redis does not take {command}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.folder.cleanup()

    def text(self, text):
        return re.sub(rf"(?<!\d){self.port}(?!\d)", "REDISPORT", text)

    def files(self):
        return {}


def user(folder):
    """Options for a server that does not work for root."""
    if subprocess.run(["id", "-u"], stdout=subprocess.PIPE, check=True).stdout.strip() != b"0":
        return []
    folder.chmod(0o755)
    (folder / "data").mkdir()
    shutil.chown(folder / "data", "nobody")
    shutil.chown(folder, "nobody")
    return ["--user=nobody"]


class Graphite:
    """Takes Graphite's plaintext protocol, and sums what it is told."""

    def __enter__(self):
        lines = self.lines = []

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                lines.extend(line.decode() for line in self.rfile)

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        # Connections are read to their end before the test looks.
        self.server.daemon_threads = False
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
        self.thread.start()
        self.options = [f"-Jgraphite_port={self.server.server_address[1]}"]
        return self

    def __exit__(self, *_):
        if self.thread.is_alive():
            self.server.shutdown()
            self.thread.join()
            self.server.server_close()

    def text(self, text):
        return text

    def files(self):
        """The metrics: of counts the sum over the reports, of the others that they are there:
        they are times, or of the moment."""
        self.__exit__()
        sums = {}
        for line in self.lines:
            name, value, _ = line.split()
            is_count = re.search(r"\.(count|hits?)$", name)
            sums[name] = sums.get(name, 0) + (float(value) if is_count else 0)
        return {"graphite": "".join(f"{name} {value:g}\n" for name, value in sorted(sums.items()))}


class Udp:
    """Sends each datagram back."""

    def __enter__(self):
        class Echo(socketserver.BaseRequestHandler):
            def handle(self):
                data, back = self.request
                back.sendto(data, self.client_address)

        self.server = socketserver.ThreadingUDPServer(("127.0.0.1", 0), Echo)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.options = [f"-Judp_port={self.port}"]
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def text(self, text):
        return text.replace(str(self.port), "UDP-PORT")

    def files(self):
        return {}


class Port:
    """A port that a part of the plan itself listens on."""

    def __enter__(self):
        self.port = free_port()
        self.options = self.told()
        return self

    def told(self):
        return [f"-Jprometheus.port={self.port}", "-Jprometheus.ip=127.0.0.1"]

    def __exit__(self, *_):
        pass

    def text(self, text):
        text = re.sub(r"Date: \w+, +\d+ \w+ \d+ [\d:]+ GMT", "Date: NOW", text)
        return text.replace(str(self.port), "OWN-PORT")

    def files(self):
        return {}


class TableServer(Port):
    """The Simple Table Server: Plimsoll has its own, beside JMeter the plugin's is started as its script does."""

    def told(self):
        settings = {"port": self.port, "loadAndRunOnStartup": "true", "addTimestamp": "false", "datasetDirectory": "."}
        return [f"-JjmeterPlugin.sts.{name}={value}" for name, value in settings.items()]

    def start(self, folder):
        if not self.for_jmeter:
            return
        home = pathlib.Path(__file__).resolve().parent / ".jmeter/lib"
        # It reads JMeter's own properties where it begins.
        settings = [option.replace("-J", "-D").replace("=.", f"={folder}") for option in self.options]
        self.process = subprocess.Popen(
            ["java", *settings, "-cp", f"{home}/*:{home}/ext/*", "org.jmeterplugins.protocol.http.control.HttpSimpleTableServer"],
            cwd=home.parent / "bin", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + START_S
        while time.monotonic() < until and self.process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        raise RuntimeError("the plugin's table server did not start")

    def __exit__(self, *_):
        if self.for_jmeter:
            # It ends at a key.
            self.process.communicate(b"\n")


class PerfMonAgent:
    """ServerAgent, the agent of JMeter's PerfMon plugin, where get.sh has put it; else a server that speaks its
    protocol: a line for each command, and from `metrics:` on a line of values once an interval. `perfmon_port`. Metrics
    are asked for with EXEC, whose values are the same each time."""

    def __enter__(self):
        home = pathlib.Path(os.environ.get("JMETER_HOME", pathlib.Path(__file__).parent / ".jmeter"))
        self.port, self.process, self.server = free_port(), None, None
        if (home / "agent").is_dir() and shutil.which("java"):
            self.process = subprocess.Popen(
                ["java", "-cp", f"{home / 'agent'}/*", "kg.apc.cmd.UniversalRunner", "--tool", "PerfMonAgent",
                 "--tcp-port", str(self.port), "--udp-port", str(self.port)],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        else:
            self.server = socketserver.ThreadingTCPServer(("127.0.0.1", self.port), AgentHandler)
            self.server.daemon_threads = True
            self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,))
            self.thread.start()
        self.options = [f"-Jperfmon_port={self.port}"]
        self.wait()
        return self

    def wait(self):
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1) as there:
                    there.sendall(b"test\n")
                    if there.recv(4).startswith(b"Yep"):
                        return
            except OSError:
                time.sleep(0.1)
        self.__exit__()
        raise RuntimeError("ServerAgent does not start")

    def __exit__(self, *_):
        if self.process:
            self.process.terminate()
            self.process.wait()
        if self.server:
            self.server.shutdown()
            self.thread.join()
            self.server.server_close()

    def text(self, text):
        """A file of values: each value once, without its moment. How many there are hangs on the moment."""
        if not text.startswith("timeStamp,elapsed"):
            return text
        head, *lines = text.splitlines()
        lines = sorted({"*," + line.partition(",")[2] for line in lines})
        return "\n".join([head.replace("elapsed", "value"), *lines]) + "\n"

    def files(self):
        return {}


class AgentHandler(socketserver.StreamRequestHandler):
    """A client of the agent that is no Java."""

    def handle(self):
        interval = 1
        for line in self.rfile:
            what, _, rest = line.decode().strip("\r\n").partition(":")
            if what == "test":
                self.wfile.write(b"Yep\n")
            elif what == "interval":
                interval = int(rest)
            elif what == "metrics":
                threading.Thread(target=self.send, args=(rest.strip("\t").split("\t"), interval),
                                 daemon=True).start()
            elif what == "exit":
                return

    def send(self, metrics, interval):
        try:
            while True:
                self.wfile.write(("".join(value_of(metric) + "\t" for metric in metrics) + "\n").encode())
                time.sleep(interval)
        except (OSError, ValueError):
            pass  # The client has gone.


def value_of(metric):
    """What the agent says of a metric: of EXEC the last line of a program; it knows no other without its library."""
    kind, _, parameters = metric.partition(":")
    if kind != "exec":
        return ""
    command = [part for part in parameters.split(":") if part]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False, text=True)
    return (done.stdout.splitlines() or [""])[-1]


KINDS = {"mariadb": MariaDb, "redis": Redis, "graphite": Graphite, "udp": Udp, "prometheus": Port,
         "table-server": TableServer, "raw": RawServer, "perfmon": PerfMonAgent, "websocket": WebSockets}
