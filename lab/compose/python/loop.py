"""The service for uvicorn: all requests on one event loop."""

import asyncio
import concurrent.futures
import random
import time
import urllib.parse

import shelves
import tasks
from records import RECORDS, SETTINGS, Visit


class NotNow(Exception):
    """The rest of the steps is not taken."""


class Neighbour:
    """Another service, with connections that are kept."""

    def __init__(self, settings):
        url = urllib.parse.urlsplit(settings["url"])
        self.host, self.port = url.hostname, url.port
        self.request = f"GET {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".encode()
        self.places = asyncio.Semaphore(settings["max"] or 100_000)
        self.free = []

    async def ask(self, visit, name):
        """The status of its response."""
        begin = time.perf_counter()
        async with self.places:
            visit.add(f"line:call:{name}", begin)
            begin = time.perf_counter()
            status = await self._send()
        visit.add(f"call:{name}", begin)
        return status

    async def _send(self):
        for again in (True, False):
            streams = self.free.pop() if self.free and again else None
            if streams is None:
                streams = await asyncio.open_connection(self.host, self.port)
            try:
                streams[1].write(self.request)
                status, kept = await response(streams[0])
            except (OSError, EOFError):
                # Closed meanwhile: once more on a new one.
                streams[1].close()
                if not again:
                    raise
                continue
            if kept:
                self.free.append(streams)
            else:
                streams[1].close()
            return status
        return 0


async def response(reader):
    """Status, and whether the connection stays."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    lines = head.split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    if "content-length" in fields:
        await reader.readexactly(int(fields["content-length"]))
    elif fields.get("transfer-encoding") == "chunked":
        while size := int(await reader.readline(), 16):
            await reader.readexactly(size + 2)
        await reader.readline()
    else:
        await reader.read()
        return int(lines[0].split()[1]), False
    return int(lines[0].split()[1]), fields.get("connection") != "close"


class Shelf:
    """A pool of connections to a store, used by threads since its client blocks."""

    def __init__(self, settings):
        self.pool = shelves.Pool(settings)
        self.threads = concurrent.futures.ThreadPoolExecutor(settings["max"])

    def _do(self, step):
        begin = time.perf_counter()
        connection = self.pool.take()
        try:
            connection = connection or shelves.connect(self.pool.store)
            if step["do"] == "get":
                shelves.get(connection, step)
            else:
                shelves.query(connection, self.pool.store, step)
        finally:
            self.pool.give(connection)
        return begin, time.perf_counter()

    async def ask(self, visit, step):
        """The statements or look-ups of a step."""
        asked = time.perf_counter()
        loop = asyncio.get_running_loop()
        begin, end = await loop.run_in_executor(self.threads, self._do, step)
        visit.add_s(f"line:pool:{step['name']}", begin - asked)
        visit.add_s("cache" if step["do"] == "get" else "db", end - begin)


NEIGHBOURS = {name: Neighbour(each) for name, each in SETTINGS["neighbours"].items()}
SHELVES = {name: Shelf(each) for name, each in SETTINGS["pools"].items()}
GATES = {name: asyncio.Semaphore(each["permits"]) for name, each in SETTINGS["gates"].items()}
LOCKS = {name: asyncio.Lock() for name in SETTINGS["locks"]}


async def take(visit, steps):
    """Takes the steps one after the other."""
    for step in steps:
        await one(visit, step)


async def one(visit, step):
    """Takes one step."""
    begin, what = time.perf_counter(), step["do"]
    if what == "work":
        visit.working(lambda: tasks.work(step["how"], step["rounds"]))
    elif what == "pause":
        await asyncio.sleep(step["ms"] / 1000)
        visit.add("pause", begin)
    elif what == "block":
        time.sleep(step["ms"] / 1000)
        visit.add("block", begin)
    elif what == "inside":
        async with GATES[step["name"]]:
            visit.add(f"line:gate:{step['name']}", begin)
            await take(visit, step["steps"])
    elif what == "alone":
        async with LOCKS[step["name"]]:
            visit.add(f"line:lock:{step['name']}", begin)
            await take(visit, step["steps"])
    elif what == "call":
        if random.random() < step.get("share", 1):
            await call(visit, step)
    elif what == "together":
        branches = [Visit() for _ in step["steps"]]
        taken = (one(branch, each) for branch, each in zip(branches, step["steps"]))
        ended = await asyncio.gather(*taken, return_exceptions=True)
        visit.absorb(branches, begin)
        for failed in filter(None, ended):
            raise failed
    elif what == "refuse":
        if random.random() < step["share"]:
            visit.status = 503
            raise NotNow
    elif what in ("query", "get"):
        await SHELVES[step["name"]].ask(visit, step)
    elif what == "store":
        tasks.store(step["bytes"], step.get("sync"), step.get("count", 1))
        visit.add("disk", begin)
    elif what == "allocate":
        visit.working(lambda: tasks.allocate(step["bytes"], step.get("keep")))
    elif what == "body":
        visit.bytes = step["bytes"]


async def call(visit, step):
    """Asks a neighbour, so often as it says that it cannot."""
    for left in range(step.get("tries", 1), 0, -1):
        if await NEIGHBOURS[step["name"]].ask(visit, step["name"]) == 200:
            return
        if left > 1:
            begin = time.perf_counter()
            await asyncio.sleep(step["again_ms"] / 1000)
            visit.add("pause", begin)
    visit.status = 502
    raise NotNow


async def app(scope, receive, send):
    """The ASGI application."""
    if scope["type"] != "http":
        return
    visit = Visit()
    steps = SETTINGS["routes"].get(scope["path"])
    if steps is None:
        visit.status = 200 if scope["path"] == "/ready" else 404
    else:
        try:
            await take(visit, steps)
        except NotNow:
            pass
        RECORDS.add(visit)
    body = visit.body()
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": visit.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
