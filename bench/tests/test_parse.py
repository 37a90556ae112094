"""Reports of the peers, as they print them."""

import json
import unittest

from plimsoll_bench import parse

STUB = """Active connections: 3 
server accepts handled requests
 65 65 3887 
Reading: 0 Writing: 1 Waiting: 2 
"""


class Reports(unittest.TestCase):
    def test_stub_status(self):
        self.assertEqual(parse.stub_status(STUB), (3, 3887))
        with self.assertRaises(ValueError):
            parse.stub_status("<html>404</html>")

    def test_wrk(self):
        text = "Running\npercentile 50 1120\npercentile 99.9 990000\npercentile 100 1002000\n"
        self.assertEqual(parse.wrk(text), {50.0: 1.12, 99.9: 990.0, 100.0: 1002.0})

    def test_oha_gives_seconds(self):
        text = json.dumps({"summary": {"slowest": 1.01},
                           "latencyPercentiles": {"p50": 0.001, "p99": 0.048, "p99.9": None}})
        self.assertEqual(parse.oha(text), {50.0: 1.0, 99.0: 48.0, 100.0: 1010.0})

    def test_vegeta_gives_nanoseconds(self):
        text = json.dumps({"latencies": {"50th": 1_200_000, "99th": 900_000_000,
                                         "max": 1_000_000_000}})
        plot = ("Value(ms)  Percentile  TotalCount  1/(1-Percentile)\n"
                "989.8  0.998900  1  909.09\n990.1  0.999000  29970  1000.00\n")
        self.assertEqual(parse.vegeta(text, plot),
                         {50.0: 1.2, 99.0: 900.0, 100.0: 1000.0, 99.9: 990.1})
        self.assertNotIn(99.9, parse.vegeta(text))

    def test_k6_in_both_shapes(self):
        values = {"p(50)": 1.1, "p(99)": 900, "p(99.9)": 990, "max": 1000}
        wanted = {50.0: 1.1, 99.0: 900.0, 99.9: 990.0, 100.0: 1000.0}
        for metric in (values, {"values": values}):
            text = json.dumps({"metrics": {"http_req_duration": metric}})
            self.assertEqual(parse.k6(text), wanted)

    def test_plimsoll(self):
        latency = {"mean": 9, "min": 1, "p50": 1.0, "p90": 2, "p95": 3, "p99": 900.5,
                   "p99_9": 990.5, "max": 1000}
        text = json.dumps({"total": {"samples": 90, "cut_off": 3, "errors": 1,
                                     "response_time_ms": latency}})
        self.assertEqual(parse.plimsoll(text),
                         {50.0: 1.0, 99.0: 900.5, 99.9: 990.5, 100.0: 1000.0})
        # Errors are samples: they must not be added again.
        self.assertEqual(parse.plimsoll_requests(text), 93)

    def test_groovy_cost(self):
        text = ("start: 0.81 s\n"
                "1 users, 20000 calls each: median 0.120 ms, p90 0.2 ms, p99 0.3 ms, 8000/s\n"
                "1 users, 20000 calls each: median 0.061 ms, p90 0.1 ms, p99 0.2 ms, 15000/s\n"
                "50 users, 1000 calls each: median 1.400 ms, p90 2 ms, p99 3 ms, 30000/s\n")
        self.assertEqual(dict(parse.groovy_cost(text)), {1: 0.061, 50: 1.4})

    def test_proc_files(self):
        status = "Name:\tx\nVmHWM:\t   20480 kB\nVmRSS:\t   10240 kB\n"
        self.assertEqual(parse.status_kib(status, "VmHWM"), 20480)
        self.assertEqual(parse.status_kib(status, "VmSwap"), 0)
        stat = "12 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0"
        self.assertEqual(parse.stat_cpu_ticks(stat), 200)


if __name__ == "__main__":
    unittest.main()
