"""PostgreSQL with the table of orders. Settings: rows, table, and lines of its configuration."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path

from .. import instance
from ..errors import LabError
from ..tiers.base import Kind, find_program
from ..tiers.mariadb import DATABASE, USER

_OWN = ("rows", "table")
_TEMPLATE_TABLE = "template_orders"
_SCHEMA = """
CREATE TABLE {table} (
    id BIGINT PRIMARY KEY,
    customer_id INT NOT NULL,
    amount_cents INT NOT NULL,
    note VARCHAR(80) NOT NULL
);
INSERT INTO {table}
SELECT seq, 1 + seq * 7919 % ({rows} / 100), 100 + seq * 37 % 90000,
       'order ' || seq || ', delivered to the door, paid by invoice'
FROM generate_series(1, {rows}) AS seq;
ANALYZE {table};
"""


def _bin() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


def _as_other() -> list[str]:
    """The server refuses to run as root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={_owner()}", f"--regid={_owner()}", "--clear-groups"]


def _owner() -> str:
    try:
        return pwd.getpwnam("postgres").pw_name
    except KeyError:
        return "nobody"


def _give(folder: Path) -> None:
    if os.geteuid() == 0:
        shutil.chown(folder, _owner())


class PostgreSql(Kind):
    """A server of its own on a copy of a data folder that is filled once."""

    @classmethod
    def missing(cls, jdk: int, server: str | None) -> list[str]:
        found = [] if _bin() else ["PostgreSQL"]
        return found + [each for each in ("psql", "setpriv") if not find_program(each)]

    def prepare(self) -> None:
        place = self.place
        data = place.directory / "data"
        if not data.exists():
            _give(place.directory)
            template = _template(int(place.settings["rows"]))
            subprocess.run(["cp", "-a", "--reflink=auto", str(template), str(data)], check=True)
        lines = [f"{key} = {value}" for key, value in place.settings.items() if key not in _OWN]
        (data / "own.conf").write_text("\n".join(lines) + "\n")

    def command(self) -> list[str]:
        place = self.place
        return [
            *_as_other(),
            *(str(_bin() / "postgres"), "-D", str(place.directory / "data")),
            *("-h", place.host, "-p", str(place.ports["postgresql"])),
            *("-k", str(place.directory)),
        ]

    def is_ready(self) -> bool:
        return query(self.place.host, self.place.ports["postgresql"], "SELECT 1", fail=False) == "1"

    def started(self) -> None:
        """Gives the table its name of this seed."""
        address = (self.place.host, self.place.ports["postgresql"])
        if query(*address, f"SELECT to_regclass('{_TEMPLATE_TABLE}')"):
            query(*address, f"ALTER TABLE {_TEMPLATE_TABLE} RENAME TO {self.place.settings['table']}")

    def facts(self) -> dict[str, object]:
        return {"database": DATABASE, "user": USER}


def query(host: str, port: int, sql: str, fail: bool = True) -> str:
    """What a statement gives."""
    argv = ["psql", "-X", "-q", "-t", "-A", "-h", host, "-p", str(port), "-U", USER, "-d", DATABASE]
    done = subprocess.run([*argv, "-c", sql], capture_output=True, text=True, check=False)
    if done.returncode and fail:
        raise LabError(f"PostgreSQL refuses '{sql}': {done.stderr.strip()}")
    return done.stdout.strip() if done.returncode == 0 else "ERROR"


def _template(rows: int) -> Path:
    """The data folder that others are copied from; made at the first use."""
    version = _bin().parent.name
    with instance.cache_lock() as cache:
        made = cache / f"postgresql-{version}-{rows}"
        if not made.is_dir():
            _fill(cache / "postgresql-new", rows)
            (cache / "postgresql-new").rename(made)
    return made


def _fill(data: Path, rows: int) -> None:
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir()
    _give(data)
    programs = _bin()

    def run(*argv: str, text: str | None = None) -> None:
        done = subprocess.run(
            [*_as_other(), *argv], input=text, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise LabError(f"{argv[0]} fails: {(done.stderr or done.stdout)[-500:]}")

    run(str(programs / "initdb"), "-D", str(data), "-U", USER, "--auth=trust", "-E", "UTF8", "--no-sync")
    with (data / "postgresql.conf").open("a", encoding="utf-8") as file:
        file.write("max_connections = 500\nsynchronous_commit = off\njit = off\n")
        file.write("max_parallel_workers_per_gather = 0\ninclude_if_exists = 'own.conf'\n")
    control = (str(programs / "pg_ctl"), "-D", str(data), "-w", "-s")
    # Only a socket, in a folder of its own: nobody else finds it meanwhile.
    run(*control, "-o", f"-h '' -k {data} -c fsync=off", "-l", f"{data}/fill.log", "start")
    try:
        run("createdb", "-h", str(data), "-U", USER, DATABASE)
        schema = _SCHEMA.format(table=_TEMPLATE_TABLE, rows=rows)
        run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", str(data), "-U", USER, DATABASE, text=schema)
    finally:
        run(*control, "stop")
