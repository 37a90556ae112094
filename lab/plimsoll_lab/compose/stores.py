"""Databases and caches of a composition."""

import functools
import socket
from pathlib import Path

from ..tiers import mariadb
from ..tiers.base import Kind
from ..tiers.mariadb import DATABASE, PASSWORD, USER, MariaDb
from ..tiers.redis import Redis
from . import postgresql
from .postgresql import PostgreSql

PORT = {"mariadb": "mysql", "postgresql": "postgresql", "redis": "redis"}
"""The name of each kind's port."""
_ENTRIES = 1000


class Cache(Redis):
    """A Redis with the entries that services look up."""

    def started(self) -> None:
        address = (self.place.host, self.place.ports["redis"])
        with socket.create_connection(address, timeout=5) as connection:
            lines = "".join(f"SET entry:{each} {'x' * 100}\r\n" for each in range(_ENTRIES))
            connection.sendall(lines.encode())
            left = _ENTRIES * len("+OK\r\n")
            while left > 0 and (received := connection.recv(65536)):
                left -= len(received)


KINDS: dict[str, type[Kind]] = {"mariadb": MariaDb, "postgresql": PostgreSql, "redis": Cache}


@functools.cache
def available() -> list[str]:
    """The kinds that this machine can run."""
    return [key for key, kind in KINDS.items() if not kind.missing(17, None)]


def settings(store: dict) -> tuple[dict, dict]:
    """The settings of its tier, and the names that it needs."""
    if store["kind"] == "redis":
        return {}, {}
    if store["kind"] == "postgresql":
        return {"rows": store["rows"], "table": store["table"]}, {}
    return {"rows": store["rows"], "max_connections": 500}, {"table": store["table"]}


def address(facts: dict, store: dict) -> dict:
    """How services reach it."""
    port = facts["ports"][PORT[store["kind"]]]
    made = {"kind": store["kind"], "host": facts["host"], "port": port}
    if store["kind"] != "redis":
        made |= {"user": USER, "password": PASSWORD, "database": DATABASE}
        made |= {"table": store["table"], "rows": store["rows"]}
    return made


def change(facts: dict, store: dict) -> None:
    """Takes over what changed while it runs: whether there is an index."""
    if store["kind"] == "redis":
        return
    name = f"{store['table']}_customer"
    on = f" ON {store['table']}"
    sql = f"CREATE INDEX IF NOT EXISTS {name}{on} (customer_id)"
    if not store["indexed"]:
        sql = f"DROP INDEX IF EXISTS {name}{on if store['kind'] == 'mariadb' else ''}"
    if store["kind"] == "mariadb":
        mariadb.query(Path(facts["socket"]), f"USE {DATABASE}; {sql}")
    else:
        postgresql.query(facts["host"], facts["ports"]["postgresql"], sql)
