"""What is reckoned of windows that are longer than what they hold; servers that respond and count."""

import os
import shutil
import unittest
from types import SimpleNamespace

from plimsoll_bench import account
from plimsoll_bench.account_targets import NodeTarget, PhpTarget, php_fpm
from plimsoll_bench.watched import get


class Lasting(unittest.TestCase):
    def test_what_is_lost_is_lost_while_it_lasts(self):
        self.assertAlmostEqual(account.while_it_lasts(0.97, 3.0), 0.95)
        self.assertAlmostEqual(account.while_it_lasts(0.97, 5.0), 0.97)
        self.assertAlmostEqual(account.while_it_lasts(1.0, 3.0), 1.0)


class Servers(unittest.TestCase):
    def counts(self, kind):
        with kind(SimpleNamespace(server_core=min(os.sched_getaffinity(0)))) as target:
            before = target.requests()
            for _ in range(5):
                self.assertEqual(get(target.url), b"x" * 200)
            self.assertEqual(target.requests() - before, 5)

    @unittest.skipIf(shutil.which("node") is None, "Node is not installed")
    def test_node(self):
        self.counts(NodeTarget)

    @unittest.skipIf(php_fpm() is None or shutil.which("nginx") is None, "PHP-FPM or nginx is not installed")
    def test_php_fpm(self):
        self.counts(PhpTarget)
