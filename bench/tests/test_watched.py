"""A process is held and let go on, and ends either way; shares of cores are what they say."""

import os
import sys
import time
import unittest
from pathlib import Path

from plimsoll_bench import proc, watch, watched


def state(running: proc.Running) -> str:
    stat = Path(f"/proc/{running.pid}/stat").read_text()
    return stat[stat.rindex(")") + 2]


def until(condition) -> bool:
    deadline = time.monotonic() + 60
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


class Holding(unittest.TestCase):
    def setUp(self):
        core = min(os.sched_getaffinity(0))
        code = "import time\nwhile True: time.sleep(0.01)"
        self.running = proc.Running("test", [sys.executable, "-c", code], core)

    def test_what_is_held_stands_still_and_goes_on(self):
        watched.held(self.running)
        self.assertTrue(until(lambda: state(self.running) == "T"))
        before = self.running.cpu_s()
        watched.let_go_on(self.running)
        self.assertTrue(until(lambda: state(self.running) != "T"))
        self.assertTrue(until(lambda: self.running.cpu_s() > before))
        watched.end(self.running)

    def test_what_is_held_is_ended_too(self):
        watched.held(self.running)
        self.assertTrue(until(lambda: state(self.running) == "T"))
        watched.end(self.running)
        self.assertFalse(Path(f"/proc/{self.running.pid}").exists())


class Cores(unittest.TestCase):
    def test_shares_are_those_between_two_readings(self):
        before = watch.Cores(idle=100, all=1000, steal=5, both=2000)
        after = watch.Cores(idle=110, all=1200, steal=9, both=2400)
        shares = after.since(before)
        self.assertAlmostEqual(shares.server_busy, 0.95)
        self.assertAlmostEqual(shares.stolen, 0.01)


class Order(unittest.TestCase):
    def test_a_block_has_as_many_windows_of_either_kind_and_begins_and_ends_alike(self):
        self.assertEqual(sum(watch.BLOCK) * 2, len(watch.BLOCK))
        self.assertEqual(watch.BLOCK, watch.BLOCK[::-1])


if __name__ == "__main__":
    unittest.main()
