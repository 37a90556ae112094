"""MariaDB with a table of orders, whose name comes from the seed.

Settings: rows; sql (statements, run when it serves and when the case is switched); all else are
lines of the server's configuration (`max_connections = 50`).
"""

import hashlib
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

from .. import instance, paths
from ..errors import LabError
from .base import Kind, program

ROWS = 1_000_000
DATABASE = "shop"
USER, PASSWORD = "shop", "shop"
_OWN = ("rows", "sql")
_TEMPLATE_TABLE = "template_orders"
_FILL_TIMEOUT_S = 300


class MariaDb(Kind):
    """A server of its own on a copy of a data folder that is filled once."""

    programs = ("mariadbd", "mariadb-install-db", "mariadb")

    @property
    def _socket(self) -> Path:
        return self.place.directory / "sock"

    def prepare(self) -> None:
        place = self.place
        data = place.directory / "data"
        if not data.exists():
            _copy(_template(int(place.settings.get("rows", ROWS))), data)
        text = (paths.LAB / "mariadb" / "my.cnf.tmpl").read_text()
        text = (
            text.replace("@host@", place.host)
            .replace("@port@", str(place.ports["mysql"]))
            .replace("@dir@", str(place.directory))
        )
        text += "".join(
            f"{key} = {value}\n" for key, value in place.settings.items() if key not in _OWN
        )
        (place.directory / "my.cnf").write_text(text)

    def command(self) -> list[str]:
        return [program("mariadbd"), f"--defaults-file={self.place.directory}/my.cnf", *_as_root()]

    def is_ready(self) -> bool:
        return not query(self._socket, "SELECT 1", fail=False).startswith("ERROR")

    def started(self) -> None:
        """Gives the table its name of this seed, and runs the case's statements."""
        table = self.place.names["table"]
        found = query(self._socket, f"SHOW TABLES FROM {DATABASE} LIKE '{_TEMPLATE_TABLE}'")
        if found.strip():
            query(
                self._socket,
                f"USE {DATABASE}; RENAME TABLE {_TEMPLATE_TABLE} TO {table};"
                f"ALTER TABLE {table} RENAME INDEX {_TEMPLATE_TABLE}_status TO {table}_status",
            )
        self._run_statements()

    def _run_statements(self) -> None:
        statements = self.place.settings.get("sql") or []
        for each in statements if isinstance(statements, list) else [statements]:
            query(self._socket, f"USE {DATABASE}; {each}")

    def switch_live(self, before: dict[str, object]) -> bool:
        after = self.place.settings
        changed = [
            key
            for key in before.keys() | after.keys()
            if key != "sql" and before.get(key) != after.get(key)
        ]
        if any(key not in after or key in _OWN for key in changed):
            return False
        for key in changed:
            done = query(self._socket, f"SET GLOBAL {key} = {_literal(after[key])}", fail=False)
            if done.startswith("ERROR"):
                return False
        self.prepare()
        self._run_statements()
        return True

    def facts(self) -> dict[str, object]:
        place = self.place
        return {
            "database": DATABASE,
            "user": USER,
            "password": PASSWORD,
            "socket": str(self._socket),
            "jdbc_url": f"jdbc:mariadb://{place.host}:{place.ports['mysql']}/{DATABASE}",
            "slow_log": str(place.directory / "slow.log"),
        }


def _literal(value: object) -> str:
    text = str(value)
    return text if re.fullmatch(r"[\d.]+|ON|OFF", text, re.IGNORECASE) else f"'{text}'"


def _as_root() -> list[str]:
    """The server refuses to run as root unless told to; nothing for others."""
    return ["--user=root"] if os.geteuid() == 0 else []


def query(socket: Path, sql: str, fail: bool = True) -> str:
    """What a statement gives, as root by the socket; `ERROR …` where it fails and may."""
    done = subprocess.run(
        [
            program("mariadb"),
            "--no-defaults",
            f"--socket={socket}",
            "--user=root",
            "-N",
            "-B",
            "-e",
            sql,
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 0:
        return done.stdout
    if fail:
        raise LabError(f"MariaDB refuses '{sql}': {done.stderr.strip()}")
    return f"ERROR {done.stderr}"


def _copy(source: Path, target: Path) -> None:
    """A copy that shares its blocks where the file system can."""
    subprocess.run(["cp", "-a", "--reflink=auto", str(source), str(target)], check=True)


def _template(rows: int) -> Path:
    """The data folder that others are copied from; made at the first use."""
    schema = (paths.FAULTS / "table.sql.tmpl").read_text()
    version = subprocess.run(
        [program("mariadbd"), "--version"], capture_output=True, text=True, check=True
    ).stdout
    mark = hashlib.sha256(f"{schema}{version}{rows}".encode()).hexdigest()[:12]
    with instance.cache_lock() as cache:
        made = cache / f"mariadb-{mark}"
        if not made.is_dir():
            _fill(cache / "mariadb-new", schema, rows)
            (cache / "mariadb-new").rename(made)
    return made


def _fill(data: Path, schema: str, rows: int) -> None:
    shutil.rmtree(data, ignore_errors=True)
    # A server that starts removes the temporary tables of all others in the same folder.
    temporary = f"--tmpdir={data.parent}"
    done = subprocess.run(
        [
            program("mariadb-install-db"),
            "--no-defaults",
            f"--datadir={data}",
            temporary,
            "--skip-test-db",
            "--auth-root-authentication-method=normal",
            *_as_root(),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise LabError(f"mariadb-install-db failed: {done.stdout[-500:]}{done.stderr[-500:]}")
    # A path of a socket may have about 100 characters only: it stands in a folder of its own.
    socket = data / "fill.sock"
    server = subprocess.Popen(
        [
            program("mariadbd"),
            "--no-defaults",
            f"--datadir={data}",
            temporary,
            f"--socket={socket}",
            "--skip-networking",
            "--innodb-flush-log-at-trx-commit=0",
            "--innodb-buffer-pool-size=512M",
            "--innodb-log-file-size=32M",
            "--skip-log-bin",
            *_as_root(),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        end = time.monotonic() + _FILL_TIMEOUT_S
        while query(socket, "SELECT 1", fail=False).startswith("ERROR"):
            if server.poll() is not None or time.monotonic() > end:
                raise LabError("MariaDB does not start to be filled")
            time.sleep(0.1)
        filled = schema.replace("{{table}}", _TEMPLATE_TABLE).replace("{{rows}}", str(rows))
        query(
            socket,
            f"CREATE DATABASE {DATABASE}; USE {DATABASE};"
            + filled.replace("{{noun}}", "order")
            + f"\nCREATE USER {USER}@'%' IDENTIFIED BY '{PASSWORD}';"
            f"GRANT ALL ON *.* TO {USER}@'%';",
        )
    finally:
        server.terminate()
        server.wait(60)
