"""What counts as a false alarm, as a slowdown found, and as a proof."""

import unittest
from pathlib import Path

from plimsoll_bench import compare

METRICS = ("throughput", "mean", "p50", "p90", "p95", "p99", "error_share")
PLAN = Path(__file__).resolve().parents[1] / "plans" / "compare.yaml"


def metrics(verdicts: dict | None = None) -> list[dict]:
    return [{"metric": metric, "relative_diff": 0.01, "p_adjusted": 0.5,
             "verdict": (verdicts or {}).get(metric, compare.NO_DIFFERENCE)}
            for metric in METRICS]


def outcome(kind: str, total: dict | None = None, label: dict | None = None,
            **changes) -> compare.Outcome:
    comparison = {"runs_a": 2, "runs_b": 2, "unmatched": [], "total": metrics(total),
                  "labels": [{"label": "first", "kind": "request", "metrics": metrics(label)}]}
    summary = {"total": {"samples": 100, "errors": 0}, "generator": {"limited": False}}
    return compare.judge(kind, {**comparison, **changes.get("comparison", {})},
                         changes.get("summaries", [summary] * 4), pairs=2)


class Alarms(unittest.TestCase):
    def test_no_difference_anywhere_is_none(self):
        self.assertFalse(outcome(compare.EQUAL).alarm)
        self.assertTrue(outcome(compare.EQUAL).right)

    def test_any_verdict_anywhere_is_one(self):
        for verdict in ("higher", "lower", "repeat_needed"):
            for metric in METRICS:
                self.assertTrue(outcome(compare.EQUAL, {metric: verdict}).alarm)
                self.assertTrue(outcome(compare.EQUAL, label={metric: verdict}).alarm)
        self.assertFalse(outcome(compare.EQUAL, {"p99": "lower"}).right)


class Slowdowns(unittest.TestCase):
    def test_one_metric_of_the_total_is_enough(self):
        for shown in ({"mean": "higher"}, {"throughput": "lower"}, {"p50": "higher"}):
            self.assertTrue(outcome(compare.SLOWED, shown, {"p95": "higher"}).found)

    def test_not_found(self):
        for total, label in (({}, {}), ({}, {"mean": "higher"}), ({"mean": "lower"}, {}),
                             ({"mean": "higher"}, {"p50": "lower"}),
                             ({"mean": "higher", "error_share": "higher"}, {}),
                             ({"throughput": "higher"}, {}), ({"mean": "repeat_needed"}, {})):
            self.assertFalse(outcome(compare.SLOWED, total, label).found, (total, label))


class Judging(unittest.TestCase):
    def test_circumstances_are_counted(self):
        good = {"total": {"samples": 9, "errors": 0}, "generator": {"limited": False}}
        bad = {"total": {"samples": 9, "errors": 1}, "generator": {"limited": True}}
        seen = outcome(compare.EQUAL, summaries=[good, bad, bad, good])
        self.assertEqual((seen.limited_runs, seen.error_runs), (2, 2))

    def test_what_proves_nothing_is_refused(self):
        empty = {"total": {"samples": 0, "errors": 0}, "generator": {"limited": False}}
        for changes in ({"summaries": [empty] * 4}, {"summaries": []},
                        {"comparison": {"runs_a": 1}}, {"comparison": {"labels": []}},
                        {"comparison": {"unmatched": [{"label": "x", "kind": "request"}]}}):
            with self.assertRaises(compare.ProofFailed):
                outcome(compare.EQUAL, **changes)

    def test_said_place_by_place(self):
        seen = outcome(compare.SLOWED, {"mean": "higher", "p50": "higher"}, {"p50": "higher"})
        self.assertEqual(compare.said(seen.shown),
                         "total: mean higher, p50 higher; first: p50 higher")
        self.assertEqual(compare.said(()), "no difference shown")
        self.assertEqual(len(compare.cells(1, seen)), len(compare.COLUMNS))


class Proof(unittest.TestCase):
    def holds(self, alarms: int, missed: int, count: int = 20) -> bool:
        equal = [outcome(compare.EQUAL, {"p99": "lower"} if i < alarms else {})
                 for i in range(count)]
        slowed = [outcome(compare.SLOWED, {} if i < missed else {"mean": "higher"})
                  for i in range(count)]
        sums = compare.Sums.of(equal + slowed)
        text = compare.report(equal + slowed, ["- none"], 15)
        self.assertEqual("**the proof holds**" in text, sums.holds)
        return sums.holds

    def test_two_of_twenty_may_fail_on_either_side(self):
        self.assertTrue(self.holds(0, 0))
        self.assertTrue(self.holds(2, 2))
        self.assertFalse(self.holds(3, 0))
        self.assertFalse(self.holds(0, 3))

    def test_fewer_comparisons_allow_less(self):
        self.assertTrue(self.holds(0, 0, 5))
        self.assertFalse(self.holds(1, 0, 5))
        self.assertFalse(self.holds(0, 1, 5))

    def test_nothing_proves_nothing(self):
        self.assertFalse(compare.Sums.of([]).holds)
        self.assertFalse(compare.Sums.of([outcome(compare.EQUAL)]).holds)


class Plans(unittest.TestCase):
    def test_only_the_sleep_is_changed(self):
        template = PLAN.read_text()
        slower = compare.plan_text(template, 23)
        changed = [(a, b) for a, b in zip(template.splitlines(), slower.splitlines()) if a != b]
        self.assertEqual(changed, [('  sleep_ms: "20"', '  sleep_ms: "23"')])
        self.assertEqual(compare.plan_text(template, 20), template)

    def test_a_plan_without_the_variable_is_refused(self):
        with self.assertRaises(ValueError):
            compare.plan_text("target: x\n", 23)


if __name__ == "__main__":
    unittest.main()
