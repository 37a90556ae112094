"""Any seed draws a valid composition, and the same one again; its names tell nothing."""

import json
import re
import unittest

from plimsoll_lab.compose import draw, primitives, runtimes, system
from plimsoll_lab.compose.judge import shape
from plimsoll_lab.compose.names import Names
from plimsoll_lab.compose.stores import available

EVERYWHERE = [each.id for each in runtimes.ALL]
SEEDS = range(300)
TELLING = """gate permit semaphore pool lock mutex wait pause sleep block worker thread executor limit
    slow quota cpu scan hot index disk sync retry again remote fault cure leak queue busy""".split()


def texts(value: object) -> list[str]:
    """All texts of a value that a process of the composition could show."""
    if isinstance(value, dict):
        return [each for one in value.values() for each in texts(one)]
    if isinstance(value, list):
        return [each for one in value for each in texts(one)]
    return [value] if isinstance(value, str) else []


def named(steps: list[dict]) -> list[dict]:
    """All steps, those within others too."""
    return [one for each in steps for one in (each, *named(each.get("steps", [])))]


class Drawing(unittest.TestCase):
    def test_the_same_seed_draws_the_same(self):
        for seed in (1, 7, 1003):
            self.assertEqual(draw.draw(seed, EVERYWHERE), draw.draw(seed, EVERYWHERE))
        self.assertNotEqual(draw.draw(1, EVERYWHERE), draw.draw(2, EVERYWHERE))

    def test_any_seed_draws_what_its_runtimes_can_do(self):
        for seed in SEEDS:
            with self.subTest(seed=seed):
                self.check(draw.draw(seed, EVERYWHERE))

    def check(self, made: dict) -> None:
        json.dumps(made)
        self.assertLessEqual(len(made["services"]), 4)
        names = [each["name"] for each in made["services"]]
        self.assertEqual(len(names), len(set(names)))
        intended = [each for each in made["candidates"] if each["intended"]]
        self.assertIn(len(intended), (0, 1, 2))
        self.assertEqual(not intended, made["load"]["think_ms"] is not None)
        for service in made["services"]:
            abilities = runtimes.find(service["runtime"]).abilities
            for each in service["neighbours"].values():
                self.assertIn(each["service"], names)
            steps = system.resolved(service["routes"], service["values"])[service["path"]]
            for step in named(steps):
                self.assertIn(step["do"], abilities | {"pause"})
                where = {"inside": "gates", "alone": "locks", "call": "neighbours", "query": "pools", "get": "pools"}
                if step["do"] in where:
                    self.assertIn(step["name"], service[where[step["do"]]])
            for each in service["pools"].values():
                self.assertIn(each["store"], made["stores"])
        for each in made["candidates"]:
            self.assertTrue(primitives.find(each["primitive"]))
            self.assertTrue(set(each["keepers"]) <= {*names, *made["stores"]})
            cured = system.patched(made, each["cure"])
            self.assertEqual(cured["services"][0]["name"], made["services"][0]["name"])
            self.assertNotEqual(cured, made)

    def test_what_is_not_installed_is_left_out(self):
        for seed in range(40):
            made = draw.draw(seed, ["go", "node"])
            self.assertLessEqual({each["runtime"] for each in made["services"]}, {"go", "go-jobs", "node"})

    def test_every_primitive_and_runtime_is_drawn(self):
        made = [draw.draw(seed, EVERYWHERE) for seed in range(600)]
        drawn = {each["runtime"] for one in made for each in one["services"]}
        # Without a Redis here nobody can be left jobs.
        jobs = set() if "redis" in available() else {"go-jobs"}
        self.assertEqual(drawn, set(EVERYWHERE) - jobs)
        limiting = {each["primitive"] for one in made for each in one["candidates"] if each["intended"]}
        stores = {each["kind"] for one in made for each in one["stores"].values()}
        for each in primitives.ALL:
            if not each.wants_store or stores & set(each.wants_store):
                self.assertIn(each.id, limiting)
        shapes = {shape(each["topology"]) for each in made}
        self.assertIn("fan-out", shapes)
        self.assertIn("chain, nginx in front", shapes)

    def test_names_tell_nothing(self):
        telling = re.compile("|".join(TELLING))
        for name in Names.every():
            self.assertIsNone(telling.search(name), name)
        for seed in SEEDS:
            made = draw.draw(seed, EVERYWHERE)
            for service in made["services"]:
                shown = [service["name"], service["path"], *service["gates"], *service["locks"]]
                shown += [*service["pools"], *service["values"], *service["neighbours"]]
                for name in [*shown, *made["stores"]]:
                    self.assertIsNone(telling.search(name), name)

    def test_a_cure_changes_what_it_names_and_nothing_else(self):
        made = {"services": [{"quota": 0.3, "gates": {"x": {"permits": 2}}}], "stores": {}}
        cured = system.patched(made, {"services/0/gates/x/permits": 400})
        self.assertEqual(cured["services"][0], {"quota": 0.3, "gates": {"x": {"permits": 400}}})
        self.assertEqual(made["services"][0]["gates"]["x"]["permits"], 2)


if __name__ == "__main__":
    unittest.main()
