"""Quantiles, spreads, ratios and verdicts."""

import random
import unittest

from plimsoll_bench import context, latency, stats, table


class Quantiles(unittest.TestCase):
    def test_interpolates_between_order_statistics(self):
        self.assertEqual(stats.quantile([4, 1, 3, 2], 0.25), 1.75)
        self.assertEqual(stats.median([5, 1, 3]), 3)
        self.assertEqual(stats.median([1, 2, 3, 10]), 2.5)
        self.assertEqual(stats.quantile([7], 0.9), 7)

    def test_refuses_nonsense(self):
        with self.assertRaises(ValueError):
            stats.median([])
        with self.assertRaises(ValueError):
            stats.quantile([1], 1.5)

    def test_spread_keeps_the_range(self):
        spread = stats.Spread.of([3, 1, 2, 5, 4])
        self.assertEqual((spread.low, spread.q1, spread.median, spread.q3, spread.high),
                         (1, 2, 3, 4, 5))
        self.assertEqual(spread.text(1), "1.0..5.0, IQR 2.0..4.0")


class PairedRuns(unittest.TestCase):
    def test_ratio_is_taken_within_each_pair(self):
        # The machine slows down threefold; the ratio does not see it.
        pairs = [(1.0, 2.0), (3.0, 6.0), (2.0, 4.0)]
        self.assertEqual(stats.ratios(pairs), [0.5, 0.5, 0.5])

    def test_order_alternates(self):
        self.assertEqual([stats.order(i, "a", "b")[0] for i in range(4)], ["a", "b", "a", "b"])

    def test_a_round_with_one_side_is_no_pair(self):
        pairs = context.Pairs("wrk")
        pairs.add({"wrk": 7.0})
        self.assertIsNone(pairs.ratio())
        pairs.add({"wrk": 8.0, "plimsoll": 6.0})
        self.assertEqual(pairs.ratio().median, 0.75)
        self.assertEqual(pairs.peer_values, [7.0, 8.0])


class Blocks(unittest.TestCase):
    ORDER = (True, False, False, True)

    def test_a_steady_drift_is_not_taken_for_a_difference(self):
        self.assertAlmostEqual(stats.Block.of(self.ORDER, [100, 90, 80, 70]).ratio, 1.0)

    def test_what_the_marked_windows_lose_is_the_ratio(self):
        self.assertAlmostEqual(stats.Block.of(self.ORDER, [98, 100, 100, 98]).ratio, 0.98)

    def test_windows_and_marks_must_fit(self):
        with self.assertRaises(ValueError):
            stats.Block.of(self.ORDER, [1, 2, 3])

    def test_the_interval_holds_the_median_and_narrows_with_more_values(self):
        few = [0.95, 0.98, 1.0, 1.01, 1.04]
        low, high = stats.bootstrap_interval(few)
        self.assertTrue(0.95 <= low <= stats.median(few) <= high <= 1.04)
        closer = stats.bootstrap_interval(few * 20)
        self.assertLess(closer[1] - closer[0], high - low)
        self.assertEqual(stats.bootstrap_interval(few), (low, high), "the same each time")
        self.assertEqual(stats.bootstrap_interval([0.99]), (0.99, 0.99))
        with self.assertRaises(ValueError):
            stats.bootstrap_interval([])

    def test_the_interval_covers_the_truth_about_as_often_as_it_says(self):
        dice = random.Random(7)
        hits = 0
        for _ in range(40):
            low, high = stats.bootstrap_interval([dice.gauss(1.0, 0.05) for _ in range(25)])
            hits += low <= 1.0 <= high
        self.assertGreater(hits, 30)

    def test_each_cpu_has_its_ticks(self):
        text = "cpu  3 0 3 9 0 0 0 1 0 0\ncpu0 1 0 1 4 0 0 0 1 0 0\ncpu1 2 0 2 5 0 0 0 0 0 0\nintr 5\n"
        ticks = stats.cpu_ticks(text)
        self.assertEqual(sorted(ticks), [0, 1])
        self.assertEqual(ticks[0][:4], [1, 0, 1, 4])


class Verdicts(unittest.TestCase):
    def rows(self, subject, peer, problem=None):
        pairs = context.Pairs("wrk", problem=problem or {})
        for own, other in zip(subject, peer):
            pairs.add({"plimsoll": own, "wrk": other})
        found = table.Table()
        found.add_ratio("GET", "CPU", pairs, "µs", limit=1.05)
        return found

    def test_limit_is_inclusive_and_missing_it_is_told(self):
        self.assertEqual(self.rows([1.05], [1.0]).missed(), [])
        self.assertEqual(len(self.rows([1.06], [1.0]).missed()), 1)

    def test_the_median_decides_not_one_bad_pair(self):
        self.assertEqual(self.rows([1.0, 1.0, 9.0], [1.0, 1.0, 1.0]).missed(), [])

    def test_not_built_is_no_failure_but_a_failed_run_is(self):
        self.assertEqual(self.rows([], [], {"plimsoll": "not built"}).missed(), [])
        failed = self.rows([], [], {"plimsoll": "plimsoll: exit code 2: bad plan"})
        self.assertEqual(len(failed.missed()), 1)
        self.assertIn("bad plan", failed.markdown())

    def test_freeze_is_judged_by_each_percentile(self):
        holds = {50.0: 1.2, 99.0: 910.0, 99.9: 995.0, 100.0: 1005.0}
        self.assertEqual(set(latency.judge_freeze(holds).values()), {table.HOLDS})
        for percentile, wrong in ((50.0, 1.4), (99.0, 4.0), (99.9, 1015.0), (100.0, 1021.0)):
            verdicts = latency.judge_freeze({**holds, percentile: wrong})
            self.assertEqual(verdicts[percentile], table.FAILS)
            self.assertEqual(list(verdicts.values()).count(table.FAILS), 1)
        self.assertEqual(latency.judge_freeze({})[99.0], table.FAILS)

    def test_failed_freeze_counts_as_missed(self):
        found = table.Table()
        found.add(table.Row("s", "w", verdict=f"{table.FAILS}: p99"))
        self.assertEqual(len(found.missed()), 1)

    def test_markdown_has_a_table_for_each_section(self):
        found = table.Table()
        found.add(table.Row("A", "one | two"))
        found.add(table.Row("B", "three"))
        text = found.markdown()
        self.assertEqual(text.count("| what |"), 2)
        self.assertIn("one \\| two", text)


if __name__ == "__main__":
    unittest.main()
