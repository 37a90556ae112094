"""Connections to databases and caches, a pool for each."""

import queue
import random
import time

from records import SETTINGS


class Pool:
    """So many connections at most; each is opened when it is first wanted."""

    def __init__(self, settings, store=None):
        self.store = store or SETTINGS["stores"][settings["store"]]
        self._free = queue.LifoQueue()
        for _ in range(settings["max"]):
            self._free.put(None)

    def take(self):
        """A connection, or None where one is to be opened; waits till one may be had."""
        return self._free.get()

    def give(self, connection):
        """Back to the others."""
        self._free.put(connection)


def connect(store):
    """A new connection."""
    if store["kind"] == "redis":
        import redis

        return redis.Redis(host=store["host"], port=store["port"], single_connection_client=True)
    keys = {key: store[key] for key in ("host", "port", "user", "password", "database")}
    if store["kind"] == "postgresql":
        import psycopg2

        connection = psycopg2.connect(**keys)
    else:
        import pymysql

        connection = pymysql.connect(**keys)
    if store["kind"] == "postgresql":
        connection.autocommit = True
    else:
        connection.autocommit(True)
    return connection


def query(connection, store, step):
    """The statements of a step."""
    with connection.cursor() as cursor:
        for _ in range(step.get("count") or 1):
            _statement(connection, cursor, store, step)


def _statement(connection, cursor, store, step):
    number = random.randint(1, step.get("keep") or store["rows"])
    table = store["table"]
    if step["how"] == "change":
        cursor.execute("BEGIN")
        cursor.execute(
            f"UPDATE {table} SET amount_cents = amount_cents + 1 WHERE id = %s", (number,)
        )
        time.sleep(step.get("ms", 0) / 1000)
        cursor.execute("COMMIT")
        return
    if step["how"] == "list":
        cursor.execute(
            f"SELECT amount_cents FROM {table} WHERE customer_id = %s",
            (1 + number % (store["rows"] // 100),),
        )
    else:
        cursor.execute(f"SELECT amount_cents FROM {table} WHERE id = %s", (number,))
    cursor.fetchall()


def get(connection, step):
    """The look-ups of a step."""
    for _ in range(step.get("count") or 1):
        connection.get(f"entry:{random.randrange(1000)}")
