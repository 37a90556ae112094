"""Each primitive on each runtime that claims it: it starts, responds, and its truth adds up."""

import http.client
import itertools
import tempfile
import time
import unittest
from pathlib import Path

from plimsoll_lab.compose import draw, measure, primitives, runtimes, stores, system, truth

REQUESTS = 3
ALLOWED = 0.10
BUSY_MS = 6.0
"""What a busy machine adds between two readings of the clock."""
TRIES = 5


def possible(runtime: str) -> list[primitives.Primitive]:
    here = set(stores.available())
    return [
        each
        for each in primitives.ALL
        if each.needs <= runtimes.find(runtime).abilities
        and (not each.wants_store or here & set(each.wants_store))
    ]


def distinct(runtime: str, primitive: str, taken: set[str]) -> dict:
    """A composition with names that none before it has."""
    for seed in itertools.count():
        one = draw.draw(seed, ["go"], (runtime, primitive))
        service = one["services"][0]
        names = {each["name"] for each in one["services"]} | set(one["stores"])
        for key in ("gates", "locks", "pools", "values"):
            names |= set(service[key])
        if not names & taken:
            taken |= names
            return one
    raise AssertionError("never")


def together(runtime: str) -> dict:
    """One service that has each primitive on a route of its own, and what all of them call."""
    made: dict = {}
    taken: set[str] = set()
    for number, primitive in enumerate(possible(runtime)):
        one = distinct(runtime, primitive.id, taken)
        service = one["services"][0]
        if not made:
            made = one | {"stores": {}, "candidates": [], "entries": {}}
        first = made["services"][0]
        path = f"/{primitive.id}"
        first["routes"][path] = service["routes"][service["path"]]
        for key in ("gates", "locks", "pools", "neighbours", "values"):
            first[key] |= service[key]
        first["threads"] = max(first["threads"], service["threads"])
        for key, store in one["stores"].items():
            same = next((k for k, s in made["stores"].items() if s["kind"] == store["kind"]), None)
            made["stores"].setdefault(same or key, store)
            for pool in service["pools"].values():
                pool["store"] = (same or key) if pool["store"] == key else pool["store"]
        if number:
            made["services"] += one["services"][1:]
        made["entries"][primitive.id] = path
    for place, service in enumerate(made["services"]):
        service["quota"] = None
        service["place"] = place
    return made


class Systems(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = Path(folder.name).resolve()
        # PostgreSQL and PHP's children give up root.
        self.state.chmod(0o755)

    def check(self, running: system.System, name: str, path: str) -> str | None:
        """What is wrong with this route, or None."""
        door = running.door(name)
        connection = http.client.HTTPConnection(door["host"], door["ports"]["http"], timeout=20)
        with_warming = REQUESTS + 1
        took_ms = []
        first = None
        for _ in range(with_warming):
            begin = time.perf_counter()
            connection.request("GET", path)
            response = connection.getresponse()
            response.read()
            took_ms.append((time.perf_counter() - begin) * 1000)
            if response.status != 200:
                log = Path(running.tier(name)["directory"], "log").read_text(errors="replace")
                self.fail(f"{path} responds with {response.status}: {log[-800:]}")
            first = first or measure.looks(running).services[name]
        connection.close()
        look = measure.between(first, measure.looks(running).services[name])
        self.assertEqual((look.requests, look.failed), (REQUESTS, 0), path)
        parts_ms = sum(ms for key, ms in look.sums.items() if truth.is_part(key))
        seen_ms = sum(took_ms[1:])
        if abs(look.total_ms - parts_ms) > ALLOWED * look.total_ms + BUSY_MS * REQUESTS:
            return f"{path}: {parts_ms:.1f} of {look.total_ms:.1f} ms are parts: {look.sums}"
        if abs(seen_ms - look.total_ms) > ALLOWED * seen_ms + BUSY_MS * REQUESTS:
            return f"{path}: {look.total_ms:.1f} of {seen_ms:.1f} ms are known to the service"
        return None


def of_runtime(runtime: str):
    def test(self: Systems) -> None:
        lacks = runtimes.find(runtime).missing()
        if lacks:
            self.skipTest(f"missing: {', '.join(lacks)}")
        made = together(runtime)
        name = made["services"][0]["name"]
        with system.started(made, runtime, self.state, lambda text: None) as running:
            for primitive, path in made["entries"].items():
                with self.subTest(primitive=primitive):
                    wrong = [self.check(running, name, path)]
                    while wrong[-1] and len(wrong) < TRIES:
                        wrong.append(self.check(running, name, path))
                    self.assertIsNone(wrong[-1])
        self.assertFalse((self.state / runtime).exists())

    return test


def given_jobs(runtime: str) -> dict:
    """A service of that runtime that leaves jobs for another one."""
    drawn = (draw.draw(seed, [runtime, "go"]) for seed in itertools.count())
    of_two = (one for one in drawn if "jobs" in one["topology"] and len(one["services"]) == 2)
    return next(one for one in of_two if one["services"][0]["runtime"] == runtime)


def leaving(runtime: str):
    def test(self: Systems) -> None:
        lacks = runtimes.find(runtime).missing() + runtimes.find("go-jobs").missing()
        if lacks or "redis" not in stores.available():
            self.skipTest(f"missing: {', '.join(lacks or ['Redis'])}")
        made = given_jobs(runtime)
        first, second = made["services"]
        for each in made["services"]:
            each["quota"] = None
        with system.started(made, runtime, self.state, lambda text: None) as running:
            wrong = [self.check(running, first["name"], first["path"])]
            while wrong[-1] and len(wrong) < TRIES:
                wrong.append(self.check(running, first["name"], first["path"]))
            self.assertIsNone(wrong[-1])
            done = measure.looks(running).services[second["name"]]
            self.assertEqual((done.requests % (REQUESTS + 1), done.failed), (0, 0))
            self.assertIn("line:jobs", done.sums)

    return test


for each in runtimes.ALL:
    if "leave" in each.abilities and not each.takes_jobs:
        setattr(Systems, f"test_jobs_of_{each.id.replace('-', '_')}", leaving(each.id))
    if each.takes_jobs:
        continue
    setattr(Systems, f"test_{each.id.replace('-', '_')}", of_runtime(each.id))


if __name__ == "__main__":
    unittest.main()
