"""Case files: good ones are read, each mistake is named with its file and key."""

import tempfile
import unittest
from pathlib import Path

from plimsoll_lab import casefile, catalogue, paths, text
from plimsoll_lab.errors import BadCase, LabError

GOOD = """
id = "T01"
title = { en = "a", zh = "b" }
shows = { en = "c", zh = "d" }
[[tier]]
name = "front"
kind = "nginx"
cpu = 0.5
[tier.settings]
upstream = "127.0.0.1:{front.port}"
[seeded]
threads = [2, 4]
[faulty.front]
workers = "{threads}"
[cured.front]
workers = 1
[load]
users = "{threads * 2 + 1}"
path = "/nginx_status"
duration_s = 1
[truth]
finding = "x"
[expect]
metric = "throughput"
cured_over_faulty = [0.1, 10]
"""


class CaseFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def read(self, content: str) -> casefile.Case:
        path = self.folder / "T01.toml"
        path.write_text(content, encoding="utf-8")
        return casefile.read(path)

    def problems(self, old: str, new: str) -> list[str]:
        self.assertIn(old, GOOD)
        with self.assertRaises(BadCase) as caught:
            self.read(GOOD.replace(old, new))
        return caught.exception.problems

    def assert_problem(self, old: str, new: str, *parts: str):
        found = self.problems(old, new)
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("T01.toml:"), found)
        for part in parts:
            self.assertIn(part, found[0])

    def test_a_good_one(self):
        case = self.read(GOOD)
        self.assertEqual(case.tiers[0].share.cpu, 0.5)
        self.assertEqual(case.load.tier, "front")
        self.assertEqual(case.states["cured"]["front"], {"workers": 1})

    def test_mistakes_name_file_and_key(self):
        self.assert_problem(
            'kind = "nginx"', 'kind = "apache"', "tier[0].kind", "'apache'", "redis"
        )
        self.assert_problem("duration_s = 1", "duration_s = 600", "load.duration_s", "600", "20")
        self.assert_problem(
            "duration_s = 1", "duration_s = 1\ncolour = 3", "load.colour", "allowed"
        )
        self.assert_problem("threads = [2, 4]", "threads = [4, 2]", "seeded.threads", "empty")
        self.assert_problem("threads = [2, 4]", "threads = 3", "seeded.threads", "range")
        self.assert_problem("cpu = 0.5", "cpu = 0", "tier[0].cpu", "0.05")
        self.assert_problem("cpu = 0.5", "cpuset = [-1]", "tier[0].cpuset")
        self.assert_problem("[faulty.front]", "[faulty.back]", "faulty.back", "front")
        self.assert_problem('id = "T01"', 'id = "T02"', ":id", "T01")
        self.assert_problem('finding = "x"', "", "truth.finding", "missing")
        self.assert_problem('metric = "throughput"', 'metric = "speed"', "expect.metric", "p99")
        self.assert_problem("[0.1, 10]", "[10, 0.1]", "expect.cured_over_faulty", "lower first")
        self.assert_problem('{ en = "a", zh = "b" }', '{ en = "a" }', "title.zh", "missing")
        self.assert_problem("users =", 'netns = "away"\nusers =', "load.netns", "'away'")
        self.assert_problem(
            'id = "T01"', 'id = "T01"\nneeds = ["moon"]', ":needs", "'moon'", "root"
        )
        self.assert_problem(
            "[seeded]",
            '[[tier]]\nname = "db"\nkind = "redis"\n[seeded]',
            "load.tier",
            "'db'",
            "nginx",
        )
        self.assert_problem("{threads * 2 + 1}", "{thread}", ":load", "'thread'", "threads")
        self.assert_problem("{threads * 2 + 1}", "{threads ** 2}", ":load", "cannot be computed")

    def test_a_fault_needs_its_template_and_a_java_tier(self):
        found = self.problems('id = "T01"', 'id = "T01"\nfault = "no_such"')
        self.assertTrue(any("T01.toml:fault" in each and "tier" in each for each in found), found)

    def test_all_mistakes_are_told_at_once(self):
        bad = GOOD.replace("duration_s = 1", "").replace('finding = "x"', "")
        with self.assertRaises(BadCase) as caught:
            self.read(bad)
        self.assertEqual(len(caught.exception.problems), 2)

    def test_what_is_no_toml(self):
        for content in ("id = ", "[[tier]\n", "\x00"):
            with self.assertRaises(BadCase) as caught:
                self.read(content)
            self.assertIn("T01.toml", caught.exception.problems[0])

    def test_tables_of_the_wrong_kind_do_not_crash(self):
        for content in (
            "tier = 3",
            "tier = [3]",
            "load = []",
            "seeded = 1",
            "faulty = 1",
            "expect = 2",
            "truth = 1\n[faulty]\nfront = 3",
            "netns = [{name = 3}]",
            "link = [{}]",
        ):
            with self.assertRaises(BadCase, msg=content):
                self.read(content)

    def test_an_unknown_case(self):
        with self.assertRaisesRegex(LabError, "no case 'F99'.*list"):
            casefile.find("F99")


class OwnCases(unittest.TestCase):
    """The project's own cases."""

    def test_all_are_good(self):
        self.assertGreater(len(casefile.files()), 0)
        for path in casefile.files():
            with self.subTest(path.name):
                casefile.read(path)

    def test_the_list_in_the_documentation_is_up_to_date(self):
        self.assertEqual(
            (paths.LAB / "CASES.md").read_text(encoding="utf-8"),
            catalogue.markdown(),
            "make lab-cases makes it again",
        )


class Placeholders(unittest.TestCase):
    def test_values_keep_their_kind(self):
        values = {"n": 3, "word": "w", "db.port": 4711}
        self.assertEqual(text.fill("{n}", values), 3)
        self.assertEqual(text.fill("{n * 2 + 1}", values), 7)
        self.assertEqual(text.fill("{(n + 1) / 2}", values), 2.0)
        self.assertEqual(text.fill("127.0.0.1:{db.port}/{word}", values), "127.0.0.1:4711/w")
        self.assertEqual(text.fill(["{n}", {"k.{word}": "{word}"}], values), [3, {"k.w": "w"}])

    def test_other_braces_are_text(self):
        for same in ('{"a": 1}', "{}", "{ n }", "${n"):
            self.assertEqual(text.fill(same, {"n": 3}), same)

    def test_only_sums_are_computed(self):
        for bad in ("{n.__class__}", "{n()}", "{m}", "{n / 0}"):
            with self.assertRaises(text.UnknownName, msg=bad):
                text.fill(bad, {"n": 3})


if __name__ == "__main__":
    unittest.main()
