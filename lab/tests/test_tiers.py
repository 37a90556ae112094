"""Each kind of tier for real: it starts with names of the seed, is switched live, and goes."""

import os
import socket
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from plimsoll_lab import casefile, engine, needs, paths, process, seed
from plimsoll_lab.instance import load, names
from plimsoll_lab.tiers.base import request

HEAD = """
id = "T01"
title = { en = "a", zh = "b" }
shows = { en = "c", zh = "d" }
"""
TAIL = """
[[tier]]
name = "front"
kind = "nginx"
settings = { upstream = "127.0.0.1:{front.port}" }
[load]
users = 1
duration_s = 1
[truth]
finding = "x"
[expect]
cured_over_faulty = [1, 2]
"""
DATABASE = (
    HEAD
    + """
[[tier]]
name = "db"
kind = "mariadb"
[tier.settings]
rows = 1000
max_connections = 60
[faulty.db]
sql = ["DROP INDEX IF EXISTS by_customer ON {table}"]
[cured.db]
sql = ["CREATE INDEX IF NOT EXISTS by_customer ON {table} (customer_id)"]
max_connections = 70
"""
    + TAIL
)
CACHE = (
    HEAD
    + """
[[tier]]
name = "cache"
kind = "redis"
[tier.settings]
maxclients = 60
[cured.cache]
maxclients = 70
"""
    + TAIL
)

LOAD = """
[load]
users = 1
duration_s = 1
path = "/some/where"
[truth]
finding = "x"
[expect]
cured_over_faulty = [1, 2]
"""
PLAIN_TOMCAT = (
    HEAD
    + """
[[tier]]
name = "app"
kind = "tomcat"
server = "SERVER"
[tier.settings]
sleep-ms = 3
[cured.app]
maxThreads = 7
"""
    + LOAD
)
GATEWAY = (
    HEAD
    + """
[[tier]]
name = "partner"
kind = "partner"
[[tier]]
name = "app"
kind = "gateway"
settings = { "lab.remote.url" = "{partner.url}" }
[cured.app]
"spring.cloud.gateway.server.webflux.httpclient.pool.max-connections" = 7
"""
    + LOAD
)


def quiet(_text: str) -> None:
    pass


class Tiers(unittest.TestCase):
    def setUp(self):
        # A socket's path may be about 100 characters long.
        folder = tempfile.TemporaryDirectory(prefix="lab")
        self.addCleanup(folder.cleanup)
        self.state = Path(folder.name, "a b")  # a blank, on purpose
        self.folder = Path(folder.name)
        self.addCleanup(self.end_all)

    def end_all(self):
        for name in names(self.state):
            engine.down(load(name, self.state), quiet)

    def up(self, content: str):
        path = self.folder / "T01.toml"
        path.write_text(content)
        self.enterContext(mock.patch.object(paths, "CASES", self.folder))
        case = casefile.find("T01")
        if needs.missing(case):
            self.skipTest(f"missing: {needs.missing(case)}")
        return engine.up(case, "one", self.state, 5, False, quiet)

    def test_mariadb(self):
        self.enterContext(mock.patch.object(paths, "CACHE", self.folder / "cache"))
        running = self.up(DATABASE)
        tier = running.tier("db")
        table = seed.names(5, "T01")["table"]
        self.assertEqual(self.sql(tier, f"SELECT COUNT(*) FROM {table}"), "1000")
        self.assertEqual(self.sql(tier, "SELECT @@max_connections"), "60")
        self.assertNotIn("by_customer", self.sql(tier, f"SHOW CREATE TABLE {table}"))
        pid = tier["pid"]
        engine.switch(running, True, quiet)
        self.assertEqual(running.tier("db")["pid"], pid)
        self.assertEqual(self.sql(tier, "SELECT @@max_connections"), "70")
        self.assertIn("by_customer", self.sql(tier, f"SHOW CREATE TABLE {table}"))
        started = process.Process(pid, tier["start_time"])
        engine.down(running, quiet)
        self.assertFalse(started.alive())

    def sql(self, tier: dict, statement: str) -> str:
        """Over TCP, as the service does."""
        return subprocess.run(
            [
                "mariadb",
                "--no-defaults",
                "--protocol=tcp",
                f"--host={tier['host']}",
                f"--port={tier['ports']['mysql']}",
                f"--user={tier['user']}",
                f"--password={tier['password']}",
                "-N",
                "-B",
                "-e",
                statement,
                tier["database"],
            ],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()

    def test_redis(self):
        running = self.up(CACHE)
        tier = running.tier("cache")
        self.assertIn("60", self.redis(tier, "CONFIG GET maxclients"))
        pid = tier["pid"]
        engine.switch(running, True, quiet)
        self.assertIn("70", self.redis(tier, "CONFIG GET maxclients"))
        self.assertEqual(running.tier("cache")["pid"], pid)
        engine.switch(running, False, quiet)
        self.assertIn("60", self.redis(tier, "CONFIG GET maxclients"))

    def redis(self, tier: dict, command: str) -> str:
        with socket.create_connection(
            (tier["host"], tier["ports"]["redis"]), timeout=5
        ) as connection:
            connection.sendall(command.encode() + b"\r\n")
            return connection.recv(4096).decode()

    def test_service_with_code_of_the_seed(self):
        """F05: the level of the generated class's logger changes while the service runs."""
        case = casefile.find("F05")
        if needs.missing(case):
            self.skipTest(f"missing: {needs.missing(case)}")
        running = engine.up(case, "one", self.state, 5, False, quiet)
        tier, values = running.tier("app"), running.facts["values"]
        port = tier["ports"]["http"]
        self.assertEqual(request("127.0.0.1", port, "GET", values["path"] + "/7")[0], 200)
        log = Path(tier["directory"], "service.log")
        self.assertIn(values["noun"], log.read_text())
        self.assertEqual(self.level(tier, values["package"]), "DEBUG")
        pid = tier["pid"]
        engine.switch(running, True, quiet)
        self.assertEqual(running.tier("app")["pid"], pid)
        self.assertEqual(self.level(tier, values["package"]), "INFO")
        self.assertEqual(os.path.basename(os.readlink(f"/proc/{pid}/exe")), "java")

    def test_connectors_of_plain_tomcats(self):
        for connector in ("bio", "nio", "nio2", "apr"):
            with self.subTest(connector):
                running = self.up(PLAIN_TOMCAT.replace("SERVER", connector))
                tier = running.tier("app")
                status, text = request("127.0.0.1", tier["ports"]["http"], "GET", "/hello")
                self.assertEqual((status, text), (200, "Hello after 3 ms\n"))
                threads = {file.read_text() for file in Path(f"/proc/{tier['pid']}/task").glob("*/comm")}
                kinds = {name.split("-")[1] for name in threads if name.startswith("http-")}
                self.assertEqual(kinds, {connector})
                engine.down(running, quiet)

    def test_gateway(self):
        tier = self.up(GATEWAY).tier("app")
        status, text = request("127.0.0.1", tier["ports"]["http"], "GET", "/some/where")
        self.assertEqual((status, text), (200, "answer to /some/where\n"))
        page = request("127.0.0.1", tier["ports"]["management"], "GET", "/actuator/prometheus")[1]
        self.assertIn("reactor_netty_connection_provider_active_connections", page)

    def level(self, tier: dict, logger: str) -> str:
        text = request(
            "127.0.0.1", tier["ports"]["management"], "GET", f"/actuator/loggers/{logger}"
        )[1]
        return text.partition('"effectiveLevel":"')[2].partition('"')[0]


if __name__ == "__main__":
    unittest.main()
