"""How runs of the confusion matrix are told apart and counted."""

import unittest

from plimsoll_bench import honesty
from plimsoll_bench.honesty import Outcome
from plimsoll_bench.honesty_cases import all_cases


def outcome(name: str, starved: bool, flagged: bool, **more) -> Outcome:
    return Outcome(name, starved, flagged, 4 if flagged else 0, **more)


class Matrix(unittest.TestCase):
    def test_counters_of_the_kernel(self):
        self.assertEqual(honesty.schedstat_waits("123 4567 89\n"), 4567)
        self.assertEqual(honesty.steal_ticks("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1\n"), 8)

    def test_a_fair_run_that_had_to_wait_is_not_judged(self):
        self.assertTrue(outcome("a", False, True, waited=0.009).fit())
        self.assertFalse(outcome("a", False, True, waited=0.011).fit())
        self.assertFalse(outcome("a", False, True, steal=0.011).fit())
        self.assertTrue(outcome("a", True, True, waited=0.9).fit())
        self.assertFalse(outcome("a", True, True, note="killed").fit())

    def test_every_wrong_run_is_named(self):
        text = honesty.matrix([
            outcome("s1", True, True), outcome("s2", True, False), outcome("f1", False, False),
            outcome("f2", False, True, reasons=["cpu"]), outcome("f3", False, True, waited=0.2)])
        self.assertIn("| starved generator | 1 | 1 |", text)
        self.assertIn("| fair run | 1 | 1 |", text)
        self.assertIn("Wrong: 2 of 4.\n- `s2`: not flagged\n- `f2`: cpu", text)
        self.assertIn("- `f3`: waited 20.0%", text)

    def test_there_are_enough_runs_of_each_kind(self):
        cases = all_cases()
        self.assertEqual(len({case.name for case in cases}), len(cases))
        for starved in (True, False):
            self.assertGreaterEqual(sum(case.starved == starved for case in cases), 34)


if __name__ == "__main__":
    unittest.main()
