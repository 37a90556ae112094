"""The load that has nothing to do with a composition goes on while it is recorded, and leaves nothing."""

import subprocess
import sys
import unittest
import urllib.request

from plimsoll_lab.compose import unrelated
from plimsoll_lab.errors import LabError


class Unrelated(unittest.TestCase):
    def test_it_is_drawn_from_the_seed(self):
        self.assertEqual(unrelated.draw(1101), unrelated.draw(1101))
        for seed in range(200):
            drawn = unrelated.draw(seed)
            cpus = drawn["rate_per_s"] * drawn["work_ms"] / 1e3
            self.assertTrue(0.19 <= cpus <= 0.61, drawn)

    def test_it_responds_until_the_block_ends(self):
        argv = [sys.executable, str(unrelated.SCRIPT), "50", "1"]
        with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
            url = f"http://127.0.0.1:{int(child.stdout.readline())}/"
            with urllib.request.urlopen(url, timeout=20) as response:
                self.assertEqual(len(response.read()), 2000)
            child.stdin.close()
            self.assertEqual(child.wait(timeout=20), 0)
            with self.assertRaises(OSError):
                urllib.request.urlopen(url, timeout=20)

    def test_none_is_none_and_one_that_cannot_start_is_told(self):
        with unrelated.beside(None):
            pass
        with unrelated.beside({"rate_per_s": 50, "work_ms": 1.0}):
            pass
        with (
            self.assertRaises(LabError),
            unrelated.beside({"rate_per_s": "often", "work_ms": 1.0}),
        ):
            pass


if __name__ == "__main__":
    unittest.main()
