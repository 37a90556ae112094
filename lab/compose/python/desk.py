"""The service for gunicorn: one request a thread, or a process."""

import contextlib
import fcntl
import http.client
import itertools
import json
import os
import queue
import random
import threading
import time
import urllib.parse

import shelves
import tasks
from records import RECORDS, SETTINGS, Visit


MOST_JOBS = 64
JOB_WITHIN_S = 30


class Neighbour:
    """Another service, with connections that are kept."""

    def __init__(self, settings):
        url = urllib.parse.urlsplit(settings["url"])
        self.host, self.port, self.path = url.hostname, url.port, url.path
        self.most = settings["max"]
        self._free = queue.LifoQueue()
        for _ in range(self.most):
            self._free.put(None)

    def _take(self):
        with contextlib.suppress(queue.Empty):
            connection = self._free.get(block=self.most > 0)
            if connection:
                return connection
        return http.client.HTTPConnection(self.host, self.port, timeout=30)

    def ask(self, visit, name):
        """The status of its response."""
        begin = time.perf_counter()
        connection = self._take()
        visit.add(f"line:call:{name}", begin)
        begin = time.perf_counter()
        try:
            status = self._send(connection)
        finally:
            self._free.put(connection)
        visit.add(f"call:{name}", begin)
        return status

    def _send(self, connection):
        for again in (True, False):
            try:
                connection.request("GET", self.path)
                response = connection.getresponse()
                response.read()
                return response.status
            except (OSError, http.client.HTTPException):
                # Closed meanwhile: once more on a new one.
                connection.close()
                if not again:
                    raise
        return 0


class FileLock:
    """One at a time among all processes of the service."""

    def __init__(self, name):
        self._path = os.path.join(SETTINGS["directory"], f"{name}.lock")

    @contextlib.contextmanager
    def held(self):
        """Holds it."""
        with open(self._path, "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


class ThreadLock:
    """One thread at a time."""

    def __init__(self, name):
        del name
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def held(self):
        """Holds it."""
        with self._lock:
            yield


ONE_THREAD = SETTINGS["one_thread"]
NEIGHBOURS = {name: Neighbour(each) for name, each in SETTINGS["neighbours"].items()}
POOLS = {name: shelves.Pool(each) for name, each in SETTINGS["pools"].items()}
GATES = {name: threading.Semaphore(each["permits"]) for name, each in SETTINGS["gates"].items()}
LOCKS = {name: (FileLock if ONE_THREAD else ThreadLock)(name) for name in SETTINGS["locks"]}


JOBS = {
    name: shelves.Pool({"max": MOST_JOBS}, each["jobs"] | {"kind": "redis"})
    for name, each in SETTINGS["neighbours"].items()
    if each.get("jobs")
}
SERIAL = itertools.count()


def take(visit, steps):
    """Takes the steps one after the other."""
    for step in steps:
        one(visit, step)


def one(visit, step):
    """Takes one step."""
    begin, what = time.perf_counter(), step["do"]
    if what == "work":
        visit.working(lambda: tasks.work(step["how"], step["rounds"]))
    elif what in ("pause", "block"):
        time.sleep(step["ms"] / 1000)
        visit.add("pause", begin)
    elif what == "inside":
        with GATES[step["name"]]:
            visit.add(f"line:gate:{step['name']}", begin)
            take(visit, step["steps"])
    elif what == "alone":
        with LOCKS[step["name"]].held():
            visit.add(f"line:lock:{step['name']}", begin)
            take(visit, step["steps"])
    elif what == "call":
        if random.random() < step.get("share", 1):
            call(visit, step)
    elif what == "leave":
        leave(visit, step["name"])
    elif what == "refuse":
        if random.random() < step["share"]:
            visit.status = 503
            raise NotNow
    elif what in ("query", "get"):
        ask_store(visit, step)
    elif what == "store":
        tasks.store(step["bytes"], step.get("sync"), step.get("count", 1))
        visit.add("disk", begin)
    elif what == "allocate":
        visit.working(lambda: tasks.allocate(step["bytes"], step.get("keep")))
    elif what == "body":
        visit.bytes = step["bytes"]


class NotNow(Exception):
    """The rest of the steps is not taken."""


def call(visit, step):
    """Asks a neighbour, so often as it says that it cannot."""
    for left in range(step.get("tries", 1), 0, -1):
        status = NEIGHBOURS[step["name"]].ask(visit, step["name"])
        if status == 200:
            return
        if left > 1:
            begin = time.perf_counter()
            time.sleep(step["again_ms"] / 1000)
            visit.add("pause", begin)
    visit.status = 502
    raise NotNow


def leave(visit, name):
    """Leaves a job for a neighbour, and waits until it is done."""
    begin, pool = time.perf_counter(), JOBS[name]
    reply = f"done:{SETTINGS['name']}:{os.getpid()}:{next(SERIAL)}"
    job = json.dumps({"reply": reply, "at_ns": time.time_ns()})
    connection = pool.take() or shelves.connect(pool.store)
    try:
        connection.lpush(SETTINGS["neighbours"][name]["jobs"]["list"], job)
        said = connection.blpop(reply, JOB_WITHIN_S)
    finally:
        pool.give(connection)
    visit.add(f"call:{name}", begin)
    if not said or said[1] != b"done":
        visit.status = 502
        raise NotNow


def ask_store(visit, step):
    """The statements or look-ups of a step."""
    pool, begin = POOLS[step["name"]], time.perf_counter()
    connection = pool.take()
    visit.add(f"line:pool:{step['name']}", begin)
    begin = time.perf_counter()
    try:
        connection = connection or shelves.connect(pool.store)
        if step["do"] == "get":
            shelves.get(connection, step)
        else:
            shelves.query(connection, pool.store, step)
    finally:
        pool.give(connection)
        visit.add("cache" if step["do"] == "get" else "db", begin)


def application(environ, start_response):
    """The WSGI application."""
    path = environ["PATH_INFO"]
    if path == "/ready":
        start_response("200 OK", [("Content-Type", "text/plain"), ("Content-Length", "6")])
        return [b"ready\n"]
    visit = Visit()
    steps = SETTINGS["routes"].get(path)
    if steps is None:
        start_response("404 Not Found", [("Content-Length", "0")])
        return [b""]
    with contextlib.suppress(NotNow):
        take(visit, steps)
    body = visit.body()
    headers = [("Content-Type", "text/plain"), ("Content-Length", str(len(body)))]
    start_response(f"{visit.status} {'OK' if visit.status == 200 else 'Not now'}", headers)
    RECORDS.add(visit)
    return [body]
