"""Systems written by hand: each has its cure, starts and responds."""

import http.client
import tempfile
import unittest
from pathlib import Path

from plimsoll_lab import network
from plimsoll_lab.compose import beside, front, hand, primitives, record, stores, system, wire
from plimsoll_lab.errors import LabError


def lacks(composition: dict) -> list[str]:
    """What this machine lacks for it."""
    kinds = [front.KINDS[front.kind(composition)]] if composition["front"] else []
    kinds += [beside.Pooler] if composition.get("pooler") else []
    kinds += [beside.NameServer] if composition.get("names") else []
    kinds += [beside.Memcached] if composition.get("kept") else []
    kinds += [beside.Partition] if composition.get("partition") else []
    kinds += [wire.Wire] if composition.get("wire") else []
    kinds += [stores.KINDS[each["kind"]] for each in composition["stores"].values()]
    runtimes = [system.runtimes.find(each["runtime"]) for each in composition["services"]]
    return [name for kind in (*kinds, *runtimes) for name in kind.missing(17, None)]


class HandWritten(unittest.TestCase):
    def test_a_cure_changes_what_is_there(self):
        for name in hand.CASES:
            drawn = record.composed(name)
            for each in drawn["candidates"]:
                with self.subTest(name, candidate=each["id"]):
                    self.assertTrue(primitives.find(each["primitive"]).findings)
                    cured = system.patched(drawn, each["cure"])
                    self.assertNotEqual(cured, drawn)
                    self.assertEqual(set(cured), set(drawn))

    def test_numbers_and_names_are_told_apart(self):
        self.assertEqual(record.parse_seeds("3, apache,7-8"), [3, "apache", 7, 8])
        with self.assertRaisesRegex(LabError, "nor one of haproxy"):
            record.parse_seeds("apaches")

    def test_each_responds_faulty_and_cured(self):
        for name in hand.CASES:
            drawn = record.composed(name)
            with self.subTest(name), tempfile.TemporaryDirectory() as state:
                if missing := lacks(drawn):
                    self.skipTest(f"missing: {', '.join(missing)}")
                # A database gives up root.
                Path(state).chmod(0o755)
                with system.started(drawn, f"compose-{name}", Path(state), lambda _: None) as running:
                    self.responds(running)
                    for each in drawn["candidates"]:
                        system.change(running, system.patched(drawn, each["cure"]), "cured")
                        self.responds(running)

    def responds(self, running: system.System) -> None:
        port = next(iter(running.entry["ports"].values()))
        with network.entered(running.running.facts["load"]["netns"]):
            self.responds_here(running, port)

    def responds_here(self, running: system.System, port: int) -> None:
        connection = http.client.HTTPConnection(running.entry["host"], port, timeout=10)
        self.addCleanup(connection.close)
        connection.request("GET", running.composition["services"][0]["path"])
        self.assertEqual(connection.getresponse().status, 200)
        connection.close()


if __name__ == "__main__":
    unittest.main()
