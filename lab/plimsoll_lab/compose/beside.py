"""What stands beside a composition's services: a pool between them and a store, a neighbour on their CPU, who tells them
addresses, what keeps things for them, the partition of their log."""

import os
import sys
from pathlib import Path

from .. import paths
from ..tiers.base import Announced, Kind, accepts, program
from ..tiers.mariadb import DATABASE, USER

POOLER, NEIGHBOUR, NAMES, KEPT, PARTITION = "pooler", "neighbour", "names", "kept", "partition"
NAMES_AT = {"host": "127.53.0.53", "ports": {"dns": 53}}
"""Where names are looked up: at the port of name servers, which packets are known by."""
_PGBOUNCER = """
[databases]
{database} = host={store_host} port={store_port} user={user} dbname={database}
[pgbouncer]
listen_addr = {host}
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {places}
max_client_conn = 2000
ignore_startup_parameters = extra_float_digits
"""


class Pooler(Kind):
    """PgBouncer. Settings: places (connections to the store), store_host, store_port."""

    programs = ("pgbouncer", "setpriv")

    def prepare(self) -> None:
        (self.place.directory / "pgbouncer.ini").write_text(
            _PGBOUNCER.format(
                database=DATABASE,
                user=USER,
                host=self.place.host,
                port=self.place.ports["postgresql"],
                **self.place.settings,
            )
        )

    def command(self) -> list[str]:
        # It refuses to run as root.
        nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        return [*nobody, program("pgbouncer"), str(self.place.directory / "pgbouncer.ini")]

    def is_ready(self) -> bool:
        return accepts(self.place.host, self.place.ports["postgresql"])


class Neighbour(Announced):
    """A process that computes and belongs to nobody. Settings: busy."""

    def command(self) -> list[str]:
        code = "print('ready', flush=True)\nwhile True: sum(range(1000))"
        if not self.place.settings["busy"]:
            code = "import signal\nprint('ready', flush=True)\nsignal.pause()"
        return [sys.executable, "-c", code]


class NameServer(Announced):
    """Tells the address of each name after a while. Settings: delay_ms."""

    @classmethod
    def missing(cls, jdk: int = 0, server: str | None = None) -> list[str]:
        return [] if os.geteuid() == 0 else ["root, for port 53"]

    def command(self) -> list[str]:
        script = paths.LAB / "compose" / "names" / "names.py"
        at = (self.place.host, self.place.ports["dns"], self.place.settings["delay_ms"])
        return [sys.executable, str(script), *map(str, at)]


class Memcached(Kind):
    """memcached. Settings: item_max (the largest thing that it keeps)."""

    programs = ("memcached",)

    def prepare(self) -> None:
        self.place.directory.mkdir(exist_ok=True)

    def command(self) -> list[str]:
        user = ["-u", "nobody"] if os.geteuid() == 0 else []
        at = ["-l", self.place.host, "-p", str(self.place.ports["memcached"]), "-U", "0"]
        return [program("memcached"), *user, *at, "-m", "512", "-I", self.place.settings["item_max"]]

    def is_ready(self) -> bool:
        return accepts(self.place.host, self.place.ports["memcached"])


class Partition(Announced):
    """A file system of its own, in memory, for as long as its process lives. Settings: mb."""

    programs = ("mount", "umount")

    @classmethod
    def missing(cls, jdk: int = 0, server: str | None = None) -> list[str]:
        return super().missing(jdk, server) if os.geteuid() == 0 else ["root, to mount a file system"]

    def prepare(self) -> None:
        super().prepare()
        folder(self.place.directory).mkdir(parents=True, exist_ok=True)

    def command(self) -> list[str]:
        script = paths.LAB / "compose" / "partition" / "partition.py"
        return [sys.executable, str(script), str(folder(self.place.directory)), str(self.place.settings["mb"])]


def folder(directory: str | Path) -> Path:
    """Where a partition is mounted."""
    return Path(directory, "mounted")
