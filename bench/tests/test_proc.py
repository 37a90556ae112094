"""Processes are measured and ended as said, with real ones."""

import os
import signal
import sys
import unittest

from plimsoll_bench import proc


def python(code: str) -> proc.Running:
    core = min(os.sched_getaffinity(0))
    return proc.Running("test", [sys.executable, "-c", code], core)


class Processes(unittest.TestCase):
    def test_output_exit_code_and_core(self):
        code = "import os, sys; print(len(os.sched_getaffinity(0))); sys.exit(3)"
        finished = python(code).wait(60)
        self.assertEqual((finished.stdout.strip(), finished.exit_code), ("1", 3))
        self.assertFalse(finished.timed_out)
        self.assertIn("exit code 3", finished.complaint())

    def test_own_cores_are_kept(self):
        before = os.sched_getaffinity(0)
        python("pass").wait(60)
        self.assertEqual(os.sched_getaffinity(0), before)

    def test_cpu_time_is_that_of_the_child(self):
        code = ("import time\n"
                "while time.process_time() < 0.3: pass\n")
        self.assertGreaterEqual(python(code).wait(60).cpu_s, 0.3)

    def test_peak_memory_is_seen_although_it_was_given_back(self):
        code = ("import time\n"
                "a = bytearray(80_000_000); del a; print('freed', flush=True); time.sleep(600)\n")
        running = python(code)
        while "freed" not in running.stdout_so_far():
            self.assertFalse(running.ended_within(0.01))
        self.assertLess(running.status_kib("VmRSS"), 80_000_000 / 1024)
        peak = running.wait(0, watch_memory=True).peak_rss_kib
        self.assertGreater(peak, 80_000_000 / 1024)

    def test_a_process_that_never_ends_is_ended(self):
        finished = python("import time; time.sleep(600)").wait(0.3)
        self.assertTrue(finished.timed_out)
        self.assertNotEqual(finished.exit_code, 0)
        self.assertIn("timed out", finished.complaint())

    def test_signals_reach_it_and_its_end_is_no_error(self):
        running = python("import time; time.sleep(600)")
        running.signal(signal.SIGTERM)
        self.assertTrue(running.ended_within(30))
        running.signal(signal.SIGTERM)
        self.assertEqual(running.wait(30).exit_code, -signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
