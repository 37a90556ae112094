"""Databases and caches of a composition."""

from ..tiers.base import Kind
from ..tiers.mariadb import DATABASE, PASSWORD, USER, MariaDb
from ..tiers.redis import Redis

PORT = {"mariadb": "mysql", "postgresql": "postgresql", "redis": "redis"}
"""The name of each kind's port."""
KINDS: dict[str, type[Kind]] = {"mariadb": MariaDb, "redis": Redis}


def available() -> list[str]:
    """The kinds that this machine can run."""
    return [key for key, kind in KINDS.items() if not kind.missing(17, None)]


def settings(store: dict) -> tuple[dict, dict]:
    """The settings of its tier, and the names that it needs."""
    if store["kind"] == "redis":
        return {}, {}
    return {"rows": store["rows"], "max_connections": 500}, {"table": store["table"]}


def address(facts: dict, store: dict) -> dict:
    """How services reach it."""
    made = {"kind": store["kind"], "host": facts["host"], "port": facts["ports"][PORT[store["kind"]]]}
    if store["kind"] != "redis":
        made |= {"user": USER, "password": PASSWORD, "database": DATABASE}
        made |= {"table": store["table"], "rows": store["rows"]}
    return made


def change(facts: dict, store: dict) -> None:
    """Takes over what changed while it runs."""
    del facts, store
