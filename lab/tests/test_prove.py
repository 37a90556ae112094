"""Plans of the cases are good plans; proofs are judged and recorded as they were measured."""

import json
import os
import subprocess
import tempfile
import tomllib
import unittest
from pathlib import Path

from plimsoll_lab import casefile, load, paths, prove, seed, text
from plimsoll_lab.casefile import Expect
from tests.test_casefile import GOOD


def measured(state: str, throughput: float, errors: float = 0) -> prove.Measured:
    times = {"mean": 1, "p50": 2, "p90": 3, "p95": 4, "p99": 5, "max": 6}
    return prove.Measured(
        state,
        {
            "total": {
                "throughput_per_s": throughput,
                "error_rate": errors,
                "response_time_ms": times,
            },
            "errors_by_kind": {"read_timeout": 3, "other": 0},
            "generator": {"limited": False, "reasons": []},
        },
        {"front": 0.25},
    )


class Judgement(unittest.TestCase):
    def proof(self, pairs: list[tuple[float, float]], expect: Expect | None) -> prove.Proof:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name, "T01.toml")
        path.write_text(GOOD)
        made = [
            {"faulty": measured("faulty", faulty, 0.5), "cured": measured("cured", cured)}
            for faulty, cured in pairs
        ]
        return prove.Proof(casefile.read(path), 7, {}, made, expect)

    def test_within_bounds(self):
        proof = self.proof(
            [(100, 200), (100, 210), (100, 900)], Expect("throughput", (1.9, 2.2), None, None)
        )
        self.assertEqual(proof.misses(), [])  # the middle of the pairs counts
        self.assertIn("as expected", prove.report(proof))

    def test_out_of_bounds(self):
        proof = self.proof([(100, 130)], Expect("throughput", (1.9, 2.2), (1, 5), (100, 200)))
        misses = proof.misses()
        self.assertEqual(len(misses), 2)
        self.assertIn("cured/faulty throughput is 1.3, expected 1.9 to 2.2", misses[0])
        self.assertIn("faulty throughput is 100", misses[1])
        self.assertFalse(proof.facts()["holds"])

    def test_nothing_served(self):
        proof = self.proof([(0, 130)], Expect("ok_throughput", (1.9, 1000), None, None))
        self.assertEqual(proof.ratios(), [float("inf")])
        self.assertEqual(len(proof.misses()), 1)

    def test_successes_and_errors(self):
        self.assertEqual(measured("faulty", 100, 0.25).value("ok_throughput"), 75)
        self.assertEqual(measured("faulty", 100, 0.25).value("error_share"), 0.25)
        self.assertEqual(measured("faulty", 100).value("p99"), 5)

    def test_recorded_figures_are_read_again(self):
        proof = self.proof([(100, 200)], Expect("throughput", (1.9, 2.2), None, None))
        for _ in range(2):  # again: in the place of the old ones
            prove.record(proof)
            data = tomllib.loads(proof.case.file.read_text())
            self.assertEqual(data["shown"]["faulty"], [100])
            self.assertEqual(data["shown"]["cured_over_faulty"], [2])
            self.assertIn("read_timeout", data["shown"]["faulty_seen"])
            self.assertEqual(casefile.read(proof.case.file).expect.metric, "throughput")


class Plans(unittest.TestCase):
    """What [load] becomes is a plan without mistakes, for every case in either state."""

    def setUp(self):
        if not os.access(paths.plimsoll(), os.X_OK):
            self.skipTest("plimsoll is not built")

    def test_all(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in casefile.files():
                case = casefile.read(path)
                values = {
                    **seed.names(1, case.id),
                    **seed.numbers(1, case.id, case.seeded),
                    **casefile.tier_values(case),
                    "rows": 1,
                }
                for state in casefile.STATES:
                    settings = {**case.load.values, **case.states[state].get("load", {})}
                    plan = load.plan(text.fill(settings, values), case.id, "http://127.0.0.1:1")
                    with self.subTest(f"{case.id} {state}"):
                        self.check(plan, Path(folder, f"{case.id}-{state}.yaml"))

    def check(self, plan: dict, file: Path):
        file.write_text(json.dumps(plan))
        done = subprocess.run(
            [str(paths.plimsoll()), "check", "--quiet", str(file)],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
