"""The diagnosis knows nothing of the lab: no name of it stands in the rules or in their texts.

Rules are to follow from principles. What would give a case away without one: its id, the names of
templates, of the lab's own classes and settings, and the names that seeds give.
"""

import re
import unittest
from pathlib import Path

from plimsoll_lab import casefile, paths, seed

# One word that says "lab", whatever stands around it: plimsoll-lab, lab.fault, LabSession.
_LAB = r"(?<![A-Za-z])(?:lab|Lab|LAB)(?![a-z])"
# Words of the trade that the lab's own classes are called by, too.
_OF_THE_TRADE = {"Main", "Limits", "Ids", "Partner", "SessionStore", "HttpSessionStore"}


def rules() -> list[Path]:
    """Sources of the rules and their texts."""
    found = [*(paths.ROOT / "crates" / "diagnose" / "src").rglob("*.rs")]
    return sorted([*found, *paths.ROOT.glob("locales/*/diagnos*.ftl")])


def forbidden() -> set[str]:
    """Names that only the lab has."""
    cases = [casefile.read(path) for path in casefile.files()]
    truths = [each for case in cases for each in (case.truth, case.second) if each]
    told = {each["finding"] for each in truths}
    templates = {path.name.removesuffix(".java.tmpl") for path in paths.FAULTS.glob("*.java.tmpl")}
    own = {path.stem for path in paths.LAB.rglob("*.java") if "target" not in path.parts}
    names = {noun + role for noun in seed._NOUNS for role in seed._ROLES}
    names |= {verb + noun for verb in seed._VERBS for noun in seed._NOUNS}
    return {
        *(case.id for case in cases if "-" in case.id),
        *templates - told,
        *own - _OF_THE_TRADE,
        *names,
        *seed._COMPANIES,
        *(path.name for path in (paths.LAB / "nginx").glob("*.lua")),
        "template_orders",
    }


def found_in(text: str, names: set[str]) -> list[str]:
    """What of it stands in a text, with the number of its line."""
    words = sorted(names, key=len, reverse=True)
    either = re.compile(rf"{_LAB}|(?<!\w)(?:{'|'.join(map(re.escape, words))})(?!\w)")
    lines = enumerate(text.splitlines(), 1)
    return [f"{number}: {hit[0]}" for number, line in lines for hit in either.finditer(line)]


class UnknownLab(unittest.TestCase):
    def test_no_rule_names_it(self):
        names = forbidden()
        for path in rules():
            with self.subTest(str(path.relative_to(paths.ROOT))):
                self.assertEqual(found_in(path.read_text(encoding="utf-8"), names), [])

    def test_there_are_rules_and_texts(self):
        kinds = {path.suffix for path in rules()}
        self.assertEqual(kinds, {".rs", ".ftl"})

    def test_what_is_found(self):
        names = forbidden()
        for bad in (
            'if name.contains("lab.fault")',
            "io.plimsoll.lab.service",
            "class LabSession",
            "// as in F04-reentrant",
            '"n_gets"',
            "// the class OrderService of",
            "com.northwind.sales",
            "check-token.lua",
            "RelayController",
        ):
            self.assertEqual(len(found_in(bad, names)), 1, bad)
        for good in ("any laboratory", "label", "a collab", "F04", '"log_level"', "Slab"):
            self.assertEqual(found_in(good, names), [], good)


if __name__ == "__main__":
    unittest.main()
