"""Fixtures lose what tells nothing more, and nothing else."""

import unittest

from plimsoll_lab import fixtures

ONE, OTHER = ({"kind": "jvm", "name": name, "host": "vm"} for name in ("java[1]", "java[2]"))


def capture(number: int, kind: str, at_s: float, entity: dict = ONE, text: str = "") -> dict:
    return {"number": number, "kind": kind, "at_ms": at_s * 1000, "entity": entity, "text": text}


def kept(*captures: dict) -> list[int]:
    saved = {"load": {"window_s": [10, 20]}, "captures": list(captures), "series": [1]}
    after = fixtures.trimmed(saved)
    assert after["series"] == [1] and after["load"] == saved["load"]
    return [each["number"] for each in after["captures"]]


class Trimmed(unittest.TestCase):
    def test_dumps_of_the_judged_stretch_alone(self):
        dumps = [capture(at, "thread_dump", at) for at in (0, 9, 10, 15, 19, 20, 25)]
        self.assertEqual(kept(*dumps), [10, 15, 19])

    def test_other_captures_stay(self):
        others = [capture(at, "sockets", at) for at in (0, 15, 25)]
        self.assertEqual(kept(*others), [0, 15, 25])

    def test_two_rounds_of_each_jvm_spread_over_the_stretch(self):
        dumps = [capture(at, "thread_dump", 10 + at / 2) for at in range(12)]
        dumps += [capture(20 + at, "thread_dump", 10 + at, OTHER) for at in range(3)]
        self.assertEqual(kept(*dumps), [0, 2, 4, 6, 8, 10, 20, 21, 22])

    def test_histograms_keep_their_head_their_largest_and_their_total(self):
        rows = [f"{at:4}:  {1000 - at}  {2000 - at}  com.x.C{at}\n" for at in range(1, 501)]
        text = " num  #instances\n---\n" + "".join(rows) + "Total 1 2\n"
        saved = {"load": {"window_s": [0, 1]}, "captures": [capture(1, "class_histogram", 5)]}
        saved["captures"][0]["text"] = text
        lines = fixtures.trimmed(saved)["captures"][0]["text"].splitlines()
        self.assertEqual(len(lines), 2 + 150 + 1)
        self.assertEqual((lines[0], lines[-1]), (" num  #instances", "Total 1 2"))
        self.assertIn("com.x.C150", lines[-2])


if __name__ == "__main__":
    unittest.main()
