"""What `bench/tune/cases.py` makes of commands and figures."""

import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tune"))
import cases

COMMAND = ["java", "-Xmx512m", "-jar", "app.jar", "--spring.config.additional-location=file:/lab/app/"]
FAULTY = "server.port=8080\nserver.tomcat.threads.max=9\nlogging.level.shop.order=DEBUG\n"


def case() -> cases.TunedCase:
    made = cases.TunedCase.__new__(cases.TunedCase)
    made.of = cases.CaseOfStudy("T01", 0, {}, faulty={"jvm.heap.max": "48m"}, cured={"jvm.heap.max": "1g"})
    made.case, made.command, made.plan, made.management = "T01", COMMAND, "plan.yaml", "http://127.0.0.1:8081"
    made.folder = Path("/tmp/t01")
    return made


class Commands(unittest.TestCase):
    def test_what_is_kept_stands_in_place_of_what_was_there(self):
        knobs = cases.placed(cases.CASES["F05"].knobs, FAULTY)
        self.assertEqual(knobs["log"]["key"], "logging.level.shop.order")
        kept = {"tomcat.threads.max": "36", "log": "INFO", "jvm.heap.max": "1g", "jvm.collector": "Serial"}
        properties, command = cases.tuned(FAULTY, COMMAND, knobs, kept)
        wanted = {"server.port=8080", "server.tomcat.threads.max=36", "logging.level.shop.order=INFO"}
        self.assertEqual(set(properties.splitlines()), wanted)
        self.assertEqual(command[:4], ["java", "-Xmx1g", "-XX:+UseSerialGC", "-jar"])
        self.assertEqual(cases.tuned(FAULTY, COMMAND, knobs, {}), (FAULTY, COMMAND))

    def test_studies_have_three_to_six_knobs_with_the_faulty_ones_first(self):
        for name, of in cases.CASES.items():
            with self.subTest(name):
                self.assertIn(len(of.knobs), range(3, 7))
                self.assertLessEqual(of.first, len(of.knobs))
                self.assertLessEqual({*of.faulty, *of.cured}, {*cases.ARGUMENTS})
                for knob, each in of.knobs.items():
                    by_name = {*cases.KEYS, *cases.ARGUMENTS, cases.APPENDER}
                    self.assertTrue("key" in each or knob in by_name)
        made = cases.study(case(), {}, "8m", 7)["components"]["app"]
        self.assertEqual(made["ready"], "http://127.0.0.1:8081/actuator/health")
        self.assertTrue(made["start"].endswith("--spring.config.additional-location=file:/tmp/t01/faulty/"))
        self.assertNotIn("/lab/app/", made["start"])

    def test_what_is_faulty_by_the_arguments_of_its_jvm_is_cured_by_them(self):
        heaps = [[word for word in case().started(state) if word.startswith("-Xmx")] for state in ("tuned", "cured")]
        self.assertEqual(heaps, [["-Xmx48m"], ["-Xmx1g"]])

    def test_a_service_that_is_faulty_by_its_log_has_a_file_for_it(self):
        with tempfile.TemporaryDirectory() as folder:
            made = case()
            made.folder, made.of = Path(folder), cases.CASES["appender"]
            for state, appender in made.of.appenders.items():
                made.keep_appender(state, appender)
                self.assertEqual(made.started(state)[-1], f"--logging.config=file:{folder}/{state}/logback.xml")
                root = ElementTree.parse(made.folder / state / "logback.xml").find("root/appender-ref")
                self.assertEqual(root.get("ref"), appender)
            knobs = cases.placed(made.of.knobs, FAULTY)
        self.assertEqual(knobs[cases.APPENDER]["file"], "faulty/logback.xml")
        self.assertEqual(knobs["tomcat.threads.max"]["file"], "faulty/application.properties")


class Figures(unittest.TestCase):
    def test_an_interval_holds_the_mean_ratio_and_narrows(self):
        low, high = cases.interval([1.1, 0.9, 1.05, 0.95, 1.0])
        self.assertTrue(low < 1.0 < high)
        narrower = cases.interval([1.01, 0.99, 1.005, 0.995, 1.0])
        self.assertTrue(low < narrower[0] < narrower[1] < high)
        self.assertEqual(cases.interval([2.0] * 5), (2.0, 2.0))

    def test_the_table_tells_what_was_not_read_back(self):
        done = {
            "case": "T01", "knobs": ["a", "b"], "faulty": ["a"], "kept": {"a": "4", "b": "5"}, "read_back": ["a"],
            "trials": 12, "seconds": 90, "effect": None, "pairs": [[1.0, 1.0]] * 5, "low": 0.98, "high": 1.02,
        }
        text = cases.written([done])
        self.assertIn("| T01 | **a**, b | a 4, *b 5* | 12, 1.5 min | – | 1.00 (0.98 to 1.02; 5) |", text)

    def test_unknown_cases_are_refused(self):
        said = io.StringIO()
        with patch.object(sys, "argv", ["cases.py", "F99"]), contextlib.redirect_stderr(said):
            self.assertRaises(SystemExit, cases.arguments)
        self.assertIn("F99: no such case", said.getvalue())


if __name__ == "__main__":
    unittest.main()
