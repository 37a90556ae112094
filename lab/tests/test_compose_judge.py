"""Diagnoses of compositions are judged by what was measured; all made up."""

import unittest

from plimsoll_lab.compose import judge, score, truth
from plimsoll_lab.compose.measure import Kernel, Measured
from plimsoll_lab.compose.record import limiting, parse_seeds
from plimsoll_lab.compose.runtimes.base import Look
from plimsoll_lab.errors import LabError

TIERS = [
    {"name": "ledger", "kind": "go", "host": "127.0.0.1", "pid": 501, "ports": {"http": 12001}},
    {"name": "depot", "kind": "node", "host": "127.0.0.1", "pid": 502, "ports": {"http": 12002}},
]
GATE = {
    "id": "gate@depot",
    "primitive": "gate",
    "service": "depot",
    "keepers": ["depot"],
    "name": "cedar",
    "keeping": ["waiting_inside"],
    "findings": ["semaphore"],
    "intended": True,
    "cure": {},
}


def recording(**more: object) -> dict:
    made = {
        "seed": 3,
        "topology": "chain of 2, nginx in front",
        "services": [{"name": "ledger", "runtime": "go"}, {"name": "depot", "runtime": "node"}],
        "candidates": [GATE],
        "limiting": ["gate@depot"],
        "as_intended": True,
        "states": {
            "faulty": {
                "tiers": TIERS,
                "parts": [
                    {"keeper": "depot", "kind": "waiting_inside", "what": "line:gate:cedar", "ms": 80},
                    {"keeper": "ledger", "kind": "running", "what": "work", "ms": 20},
                ],
            },
            "cured": {"tiers": TIERS, "parts": []},
        },
    }
    return made | more


def finding(name: str, of: str, layer: str = "cause") -> dict:
    thing = {"kind": "process", "name": of, "host": "vm"}
    return {"id": name, "rank": 1, "layer": layer, "object": thing, "evidence": [], "healthy": False}


def said(*findings: dict, outcome: str = "found", **more: object) -> dict:
    return {"outcome": outcome, "findings": list(findings), **more}


class Judging(unittest.TestCase):
    def test_right(self):
        found = judge.verdict(recording(), said(finding("semaphore", "node[12002]")), said())
        self.assertTrue(found.right)
        self.assertEqual((found.process, found.kind, found.finding, found.gone), (True,) * 4)
        self.assertEqual((found.runtime, found.topology), ("node", "chain, nginx in front"))

    def test_right_behind_another_and_with_another_object(self):
        other = finding("cpu", "go[12001]")
        right = finding("semaphore", "go[12001]") | {"rank": 2, "evidence": [{"text": "node[12002]"}]}
        found = judge.verdict(recording(), said(other, right), None)
        self.assertEqual((found.right, found.first_three, found.object), (False, True, False))
        fourth = [finding("cpu", "go[12001]") | {"rank": rank} for rank in (1, 2, 3)]
        late = finding("semaphore", "node[12002]") | {"rank": 4}
        found = judge.verdict(recording(), said(*fourth, late), None)
        self.assertEqual((found.first_three, found.object), (False, True))

    def test_the_wrong_process_and_the_wrong_kind(self):
        found = judge.verdict(recording(), said(finding("cpu", "go[12001]")), None)
        self.assertEqual((found.right, found.process, found.kind, found.finding), (False,) * 4)
        self.assertIsNone(found.gone)

    def test_work_that_takes_its_cpu_counts_though_it_is_called_healthy(self):
        useful = finding("semaphore", "node[12002]") | {"healthy": True}
        found = judge.verdict(recording(), said(useful, outcome="healthy"), None)
        self.assertTrue(found.right)
        self.assertFalse(found.false_nothing)

    def test_a_false_nothing_and_too_little(self):
        nothing = judge.verdict(recording(), said(outcome="nothing"), None)
        self.assertTrue(nothing.false_nothing)
        self.assertFalse(nothing.right)
        little = judge.verdict(recording(), said(outcome="insufficient"), None)
        self.assertTrue(little.insufficient)
        self.assertFalse(little.false_nothing)

    def test_not_gone_when_cured(self):
        same = said(finding("semaphore", "node[12002]"))
        self.assertFalse(judge.verdict(recording(), same, same).gone)

    def test_time_that_goes_where_it_went_is_less(self):
        def pause(share: float, response_ms: float, healthy: bool) -> dict:
            told = finding("semaphore", "node[12002]") | {"healthy": healthy}
            told["explains"] = {"share": share, "of": "response_time"}
            return said(told, account={"response_ms": response_ms, "parts": []})

        before = pause(0.9, 120, True)
        for cured, less in (
            (pause(0.9, 50, True), True),
            (pause(0.9, 50, False), False),
            (pause(0.9, 100, True), False),
            (said(outcome="healthy"), True),
        ):
            found = judge.verdict(recording(), before, cured)
            self.assertEqual((found.less, found.gone), (less, not cured["findings"]))

    def test_marks(self):
        def mark(*told: dict, **more: object) -> str:
            return score.marks([judge.verdict(recording(**more), said(*told), None)])[0]

        right, wrong = finding("semaphore", "node[12002]"), finding("cpu", "go[12001]")
        self.assertEqual(mark(right), "right: drawn 3")
        self.assertEqual(mark(wrong), "wrong: drawn 3: cpu")
        self.assertTrue(mark(wrong, as_intended=False).startswith("unfit: drawn 3: what limits"))

    def test_what_is_advised_lifts(self):
        lock = GATE | {"id": "lock@ledger", "primitive": "lock", "service": "ledger", "keepers": ["ledger"]}
        of = said(finding("lock", "go[12001]"))
        for gain, lifts in ((1.2, True), (1.05, False)):
            made = recording(candidates=[GATE, lock], cures=[{"id": "lock@ledger", "gain": gain}])
            self.assertEqual(judge.verdict(made, of, None).lifts, lifts)
        self.assertTrue(judge.verdict(recording(), said(finding("semaphore", "node[12002]")), None).lifts)
        self.assertFalse(judge.verdict(recording(), said(finding("semaphore", "go[12001]")), None).lifts)

    def test_a_thing_without_a_process_is_the_only_services(self):
        one = recording(services=[{"name": "depot", "runtime": "jvm-jetty"}])
        pool = finding("semaphore", "jetty")
        pool["object"]["kind"] = "thread_pool"
        self.assertTrue(judge.verdict(one, said(pool), None).process)
        self.assertFalse(judge.verdict(recording(), said(pool), None).process)
        host = pool | {"object": {"kind": "host", "name": "vm", "host": "vm"}}
        self.assertFalse(judge.verdict(one, said(host), None).process)

    def test_nothing_limits(self):
        healthy = recording(candidates=[], limiting=[])
        self.assertTrue(judge.verdict(healthy, said(outcome="healthy"), None).right)
        alarm = judge.verdict(healthy, said(finding("cpu", "go[12001]")), None)
        self.assertFalse(alarm.right)

    def test_an_account_is_held_against_the_truth(self):
        parts = [
            {"kind": "waiting_inside", "process": "node[12002]", "peer": "", "ms": 70},
            {"kind": "running", "process": "go[12001]", "peer": "", "ms": 20},
            {"kind": "unaccounted", "process": "", "peer": "", "ms": 10},
        ]
        found = judge.verdict(
            recording(),
            said(outcome="insufficient", account={"response_ms": 100, "parts": parts}),
            None,
        )
        self.assertEqual(found.measured_share, 0.9)
        self.assertEqual(found.misplaced, 0.1)
        self.assertTrue(found.process and found.kind)

    def test_what_was_not_recorded_is_not_counted(self):
        found = judge.verdict(recording(error="it does not start", states={}), None, None)
        self.assertFalse(found.counts)
        self.assertIsNone(found.right)

    def test_tables_have_all_sets(self):
        verdicts = [judge.verdict(recording(seed=n), said(), said()) for n in (5, 1005, 1006)]
        loaded = recording(seed=1007, beside={"rate_per_s": 100, "work_ms": 2.0})
        verdicts.append(judge.verdict(loaded, said(), said()))
        text = "\n".join(score.tables(verdicts))
        self.assertIn("| training (1) | unseen (2) | unseen, beside another load (1) |", text)
        row = "| gate | 0 of 1 (0% to 79%) | 0 of 2 (0% to 66%) | 0 of 1 (0% to 79%) |"
        self.assertIn(row, text)

    def test_intervals_by_wilson(self):
        low, high = score.wilson(50, 50)
        self.assertAlmostEqual(low, 0.929, 3)
        self.assertEqual(high, 1.0)
        self.assertEqual(score.wilson(0, 0), (0.0, 1.0))


class Truth(unittest.TestCase):
    def test_parts_sum_to_the_response_time(self):
        composition = {
            "services": [
                {"name": "ledger", "neighbours": {"depot": {"service": "depot"}}},
                {"name": "depot", "neighbours": {}},
            ],
            "stores": {},
        }
        sums = {"work": 2000.0, "work_cpu": 1500.0, "call:depot": 30_000.0}
        services = {
            "ledger": Look(1000, 0, 33_000.0, sums, [0] * 32),
            "depot": Look(1000, 0, 28_000.0, {"line:gate:cedar": 20_000.0, "pause": 7000.0}, [0] * 32),
        }
        summary = {"total": {"throughput_per_s": 100, "response_time_ms": {"mean": 34.0}}}
        measured = Measured(summary, 10.0, services, {"ledger": Kernel(2.0, 0.1)}, 0.0)
        parts = truth.parts(composition, measured)
        self.assertAlmostEqual(sum(each["ms"] for each in parts), 34.0, 2)
        self.assertEqual(parts[0]["what"], "line:gate:cedar")
        self.assertEqual(truth.largest_keeper(parts), ("depot", "waiting_inside"))
        doors = {each["keeper"]: each["ms"] for each in parts if each["what"] == "door"}
        self.assertEqual(doors, {"ledger": 1.0, "depot": 2.0})

    def test_a_file_is_written_by_a_cpu_too(self):
        composition = {"services": [{"name": "ledger", "neighbours": {}}], "stores": {}}
        summary = {"total": {"throughput_per_s": 100, "response_time_ms": {"mean": 12.0}}}
        # Of 10 ms that files take 4 are on a CPU and 1 is spent on wanting one; the work and the server have the rest.
        sums = {"work": 1000.0, "work_cpu": 1000.0, "disk": 10_000.0}
        for kernel, wanted in (
            (Kernel(6.0, 1.0), {"running": 4.0, "cpu_wait": 1.0, "disk": 5.0}),
            (Kernel(1.5, 0.0), {"disk": 10.0}),
            (Kernel(60.0, 9.0), {"running": 10.0}),
            (None, {"disk": 10.0}),
        ):
            with self.subTest(kernel=kernel):
                services = {"ledger": Look(1000, 0, 12_000.0, sums, [0] * 32)}
                known = {"ledger": kernel} if kernel else {}
                parts = truth.parts(composition, Measured(summary, 10.0, services, known, 0.0))
                disk = {each["kind"]: each["ms"] for each in parts if each["what"] == "disk"}
                self.assertEqual(disk, wanted)
                self.assertAlmostEqual(sum(each["ms"] for each in parts), 12.0, 2)

    def test_calls_at_once_are_waited_for_once(self):
        composition = {
            "services": [
                {"name": "ledger", "neighbours": {"depot": {"service": "depot"}, "till": {"service": "till"}}},
                {"name": "depot", "neighbours": {"mill": {"service": "mill"}}},
                {"name": "till", "neighbours": {}},
                {"name": "mill", "neighbours": {}},
            ],
            "stores": {},
        }
        # 30 and 10 ms at once are 30 ms: the first has three quarters of them, with what it waits for itself.
        called = {"call:depot": 22_500.0, "whole:depot": 30_000.0, "call:till": 7500.0, "whole:till": 10_000.0}
        services = {
            "ledger": Look(1000, 0, 32_000.0, called | {"pause": 2000.0}, [0] * 32),
            "depot": Look(1000, 0, 30_000.0, {"pause": 10_000.0, "call:mill": 20_000.0}, [0] * 32),
            "till": Look(1000, 0, 10_000.0, {"pause": 10_000.0}, [0] * 32),
            "mill": Look(1000, 0, 20_000.0, {"pause": 20_000.0}, [0] * 32),
        }
        summary = {"total": {"throughput_per_s": 100, "response_time_ms": {"mean": 32.0}}}
        parts = truth.parts(composition, Measured(summary, 10.0, services, {}, 0.0))
        pauses = {each["keeper"]: each["ms"] for each in parts if each["what"] == "pause"}
        self.assertEqual(pauses, {"mill": 15.0, "depot": 7.5, "till": 7.5, "ledger": 2.0})
        self.assertAlmostEqual(sum(each["ms"] for each in parts), 32.0, 2)

    def test_while_garbage_is_collected_the_work_stands_still(self):
        composition = {"services": [{"name": "ledger", "neighbours": {}}], "stores": {}}
        summary = {"total": {"throughput_per_s": 100, "response_time_ms": {"mean": 10.0}}}
        # In 10 s with 100 requests a second, each of 10 ms, one is there at a time: it stands still while all do.
        for paused_ms, collecting, left in ((3000.0, 3.0, 3.0), (9000.0, 6.0, 0.0), (0.0, 0.0, 6.0)):
            with self.subTest(paused_ms=paused_ms):
                sums = {"work": 8000.0, "work_cpu": 2000.0, "pause": 2000.0, "gc_paused": paused_ms}
                services = {"ledger": Look(1000, 0, 10_000.0, sums, [0] * 32)}
                measured = Measured(summary, 10.0, services, {"ledger": Kernel(4.0, 0.0)}, 0.0)
                parts = {(each["kind"], each["what"]): each["ms"] for each in truth.parts(composition, measured)}
                self.assertAlmostEqual(parts.get(("garbage_collection", "work"), 0.0), collecting, 2)
                self.assertAlmostEqual(parts.get(("waiting_inside", "line:runtime"), 0.0), left, 2)
                self.assertAlmostEqual(sum(parts.values()), 10.0, 2)

    def test_what_limits_is_sorted_by_its_gain(self):
        cures = [
            {"id": "a", "gain": 1.4, "limits": True},
            {"id": "b", "gain": 1.0, "limits": False},
            {"id": "c", "gain": 2.0, "limits": True},
        ]
        self.assertEqual(limiting({"cures": cures}), ["c", "a"])

    def test_seeds(self):
        self.assertEqual(parse_seeds("1-3,1003"), [1, 2, 3, 1003])
        with self.assertRaisesRegex(LabError, "'x' is neither"):
            parse_seeds("x")


if __name__ == "__main__":
    unittest.main()

    def test_what_a_transaction_holds_is_its_services_pause(self):
        change = {"do": "query", "name": "pool", "how": "change", "ms": "=pause", "count": 2}
        composition = {
            "services": [
                {"name": "ledger"},
                {
                    "name": "depot",
                    "routes": {"/": [{"do": "alone", "name": "lock", "steps": [change]}]},
                    "pools": {"pool": {"store": "books", "max": 2}},
                    "values": {"pause": 10},
                },
            ],
            "stores": {"books": {"kind": "postgresql"}},
        }
        waits = {"keeper": "books", "kind": "waiting_inside", "what": "db", "ms": 15.0}
        # Every second request comes to the depot.
        parts = truth.hold(composition, [waits], {"ledger": 100, "depot": 50})
        told = {(each["keeper"], each["what"]): each["ms"] for each in parts}
        self.assertEqual(told, {("depot", "held"): 10.0, ("books", "db"): 5.0})
        # No more than was waited for, and before a store its pooler may be who keeps them.
        pooled = composition | {"pooler": {"store": "books", "places": 2}}
        parts = truth.hold(pooled, [waits | {"ms": 25.0}], {"ledger": 100, "depot": 200})
        self.assertEqual([(each["keeper"], each["ms"]) for each in parts], [("depot", 25.0)])
        parts = truth.hold(pooled, [waits], {"ledger": 100, "depot": 50})
        self.assertEqual([each.get("or") for each in parts], [None, "pooler"])
