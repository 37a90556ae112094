"""Metrics are read from a Prometheus page by name and labels."""

import unittest

from plimsoll_lab.signals import total

PAGE = """# HELP jvm_threads_states_threads The current number of threads
# TYPE jvm_threads_states_threads gauge
jvm_threads_states_threads{application="a",state="blocked"} 99.0
jvm_threads_states_threads{application="a",state="waiting"} 1.5E1
tomcat_threads_busy_threads{name="http-nio-1"} 3.0
tomcat_threads_busy_threads{name="http-nio-2"} 4.0 1700000000000
process_uptime_seconds 7
"""


class Signals(unittest.TestCase):
    def test_by_name_and_labels(self):
        self.assertEqual(total(PAGE, 'jvm_threads_states_threads{state="blocked"}'), 99)
        self.assertEqual(total(PAGE, "jvm_threads_states_threads"), 114)
        self.assertEqual(total(PAGE, "process_uptime_seconds"), 7)

    def test_all_series_are_added(self):
        self.assertEqual(total(PAGE, "tomcat_threads_busy_threads"), 7)

    def test_what_is_not_there(self):
        for absent in ("tomcat_threads", "process_uptime", 'process_uptime_seconds{a="b"}'):
            self.assertIsNone(total(PAGE, absent))
        self.assertIsNone(total("", "process_uptime_seconds"))
        self.assertIsNone(total("<html>garbage {} 1</html>", "process_uptime_seconds"))


if __name__ == "__main__":
    unittest.main()
