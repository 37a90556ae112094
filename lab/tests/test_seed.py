"""What comes from the seed is the same again, and another seed gives something else."""

import keyword
import re
import unittest

from plimsoll_lab import seed

_JAVA_WORDS = {"class", "int", "new", "package", "switch", "default", "long", "case", "return"}


class Seed(unittest.TestCase):
    def test_a_sample_is_drawn_by_the_seed(self):
        cases = [f"C{number:02}" for number in range(40)]
        drawn = seed.sample(7, cases, 4)
        self.assertEqual(len(set(drawn)), 4)
        self.assertEqual(drawn, seed.sample(7, list(reversed(cases)), 4))
        self.assertNotEqual(drawn, seed.sample(8, cases, 4))
        self.assertEqual(seed.sample(7, cases[:2], 4), cases[:2])

    def test_same_seed_same_values(self):
        ranges = {"delay_ms": [25, 40], "word": ["a", "b", "c"]}
        self.assertEqual(seed.names(7, "F04"), seed.names(7, "F04"))
        self.assertEqual(seed.numbers(7, "F04", ranges), seed.numbers(7, "F04", ranges))

    def test_a_value_does_not_depend_on_the_others(self):
        alone = seed.numbers(7, "F04", {"delay_ms": [25, 1000]})
        beside = seed.numbers(7, "F04", {"another": [1, 9], "delay_ms": [25, 1000]})
        self.assertEqual(alone["delay_ms"], beside["delay_ms"])

    def test_known_values_stay(self):
        # A seed that was printed once must give the same system for ever.
        self.assertEqual(seed.numbers(1, "F01", {"threads": [8, 20]})["threads"], 20)
        self.assertEqual(seed.names(1, "F01")["Class"], "CouponDesk")

    def test_seeds_differ(self):
        self.assertGreater(len({seed.names(each, "F04")["Class"] for each in range(50)}), 15)
        self.assertGreater(len({seed.names(each, "F04")["package"] for each in range(50)}), 15)

    def test_cases_differ(self):
        self.assertGreater(len({seed.names(1, f"F{each:02}")["method"] for each in range(30)}), 10)

    def test_ranges_are_kept_and_reached(self):
        drawn = {seed.numbers(each, "x", {"n": [2, 4]})["n"] for each in range(100)}
        self.assertEqual(drawn, {2, 3, 4})
        drawn = {seed.numbers(each, "x", {"n": [1, 10, 100]})["n"] for each in range(100)}
        self.assertEqual(drawn, {1, 10, 100})

    def test_names_are_java_names_and_differ(self):
        for number in range(200):
            names = seed.names(number, "F04")
            self.assertEqual(set(names), set(seed.NAME_KEYS))
            words = [names[key] for key in names if key not in ("package", "path")]
            self.assertEqual(len(words), len(set(words)), names)
            for word in words:
                self.assertRegex(word, r"^[A-Za-z][A-Za-z0-9_]*$")
                self.assertNotIn(word, _JAVA_WORDS)
                self.assertFalse(keyword.iskeyword(word))
            self.assertTrue(re.fullmatch(r"(/[a-z]+)+", names["path"]))

    def test_names_say_nothing_of_the_fault(self):
        telling = re.compile(
            "slow|lock|leak|fault|wait|block|sleep|bad|full|scan|pool", re.IGNORECASE
        )
        for number in range(200):
            for name in seed.names(number, "F04").values():
                self.assertIsNone(telling.search(name), name)


if __name__ == "__main__":
    unittest.main()
