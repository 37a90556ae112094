"""Instances of real tiers (nginx, which starts at once): started, switched, ended, nothing left."""

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path
from unittest import mock

from plimsoll_lab import casefile, cli, engine, network, paths, process, shares
from plimsoll_lab.errors import LabError
from plimsoll_lab.instance import load, locked, names
from tests.test_casefile import GOOD

ROOT = os.geteuid() == 0
SILENT = {"say": lambda text: None}
IN_NAMESPACE = (
    GOOD.replace("cpu = 0.5", 'netns = "away"')
    .replace(
        "[seeded]",
        """
[[netns]]
name = "away"
sysctl = { "net.ipv4.tcp_tw_reuse" = 0 }
[[link]]
ends = ["host", "away"]
rate_mbit = "{threads * 0 + 100}"
[seeded]""",
    )
    .replace(
        "[cured.front]",
        """[cured.netns.away]
"net.ipv4.tcp_tw_reuse" = 1
[cured.link]
rate_mbit = 200
[cured.front]""",
    )
)


def fetch(url: str) -> str:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=60) as answer:
        return answer.read().decode()


class Instances(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = Path(folder.name, "the state")  # a blank, on purpose
        self.cases = Path(folder.name)
        self.enterContext(mock.patch.object(paths, "CASES", self.cases))
        self.write("T01", GOOD)
        self.addCleanup(self.end_all)

    def write(self, name: str, content: str) -> None:
        (self.cases / f"{name}.toml").write_text(content.replace('"T01"', f'"{name}"'))

    def end_all(self):
        for name in names(self.state):
            engine.down(load(name, self.state), **SILENT)

    def up(self, case: str = "T01", name: str = "one", seed: int = 5, cured: bool = False):
        return engine.up(casefile.find(case), name, self.state, seed, cured, **SILENT)

    def main_process(self, running) -> process.Process:
        tier = running.tier("front")
        return process.Process(tier["pid"], tier["start_time"])

    def test_up_switch_down(self):
        running = self.up()
        tier = running.tier("front")
        self.assertIn("Active connections", fetch(tier["status_url"]))
        workers = running.facts["values"]["threads"]
        master = self.main_process(running)
        self.assertEqual(len(process.with_children(master)), 1 + workers)
        engine.switch(running, True, **SILENT)
        self.assertEqual(len(process.with_children(master)), 2)  # live: the master is the same
        engine.switch(load("one", self.state), False, **SILENT)
        self.assertEqual(len(process.with_children(master)), 1 + workers)
        engine.down(load("one", self.state), **SILENT)
        self.assertFalse(master.alive())
        self.assertEqual(names(self.state), [])
        self.assertFalse((self.state / "one").exists())

    def test_a_switch_that_fails_says_so_and_can_be_ended(self):
        self.write("T06", GOOD.replace("[cured.front]", '[cured.front]\nupstream = "no such"'))
        running = self.up("T06")
        with self.assertRaisesRegex(LabError, "(?s)host not found.*half switched.*down one"):
            engine.switch(running, True, **SILENT)
        self.end_all()
        self.assertFalse((self.state / "one").exists())

    def test_same_seed_same_system(self):
        first = self.up().facts
        self.end_all()
        again = self.up().facts
        self.assertEqual(first["values"], again["values"])
        self.assertEqual(first["tiers"][0]["ports"], again["tiers"][0]["ports"])

    def test_two_at_once_and_one_name_once(self):
        first, second = self.up(), self.up(name="two")
        self.assertNotEqual(first.tier("front")["ports"], second.tier("front")["ports"])
        with self.assertRaisesRegex(LabError, "runs already: plimsoll-lab down one"):
            self.up()
        self.assertEqual(names(self.state), ["one", "two"])

    def test_a_case_that_cannot_start_leaves_nothing_and_says_why(self):
        self.write(
            "T02", GOOD.replace('upstream = "127.0.0.1:{front.port}"', 'upstream = "no such"')
        )
        with self.assertRaisesRegex(LabError, "(?s)tier 'front'.*host not found"):
            self.up("T02")
        self.assertFalse((self.state / "one").exists())
        self.write("T03", GOOD.replace("workers =", "wurkers ="))
        with self.assertRaisesRegex(LabError, "no setting wurkers; it has: upstream"):
            self.up("T03")
        self.assertFalse((self.state / "one").exists())

    def test_orphans_go_too(self):
        running = self.up()
        master = self.main_process(running)
        workers = [process.identify(pid) for pid in process.with_children(master)[1:]]
        process.send(master, signal.SIGKILL)
        process.wait_until_gone([master], 5)
        self.assertTrue(all(each.alive() for each in workers))
        engine.down(running, **SILENT)
        self.assertFalse(any(each.alive() for each in workers))

    def test_a_foreign_process_under_the_same_id_lives_on(self):
        running = self.up()
        master = self.main_process(running)
        with subprocess.Popen(["sleep", "300"]) as foreign:
            facts = running.tier("front")
            facts["pid"], facts["start_time"] = foreign.pid, 1
            running.save()
            shares_of = running.tier("front")["share"]
            engine.down(load("one", self.state), **SILENT)
            self.assertIsNone(foreign.poll())
            foreign.kill()
        if not shares_of["dirs"]:
            process.stop([master])  # nothing but its id led to it
        self.assertFalse(master.alive())

    def test_the_scripts_leave_cases_alone(self):
        master = self.main_process(self.up())
        environment = {**os.environ, "PLIMSOLL_LAB_STATE": str(self.state)}
        for argument, code in (("--all", 0), ("one", 1)):
            done = subprocess.run(
                [str(paths.LAB / "stop.sh"), argument],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertTrue(master.alive())
        self.assertIn("plimsoll-lab down one", done.stderr)
        self.assertEqual(names(self.state), ["one"])

    def test_down_all_goes_on_after_one_that_cannot_be_read(self):
        master = self.main_process(self.up(name="two"))
        damaged = self.state / "one"
        damaged.mkdir()
        (damaged / "instance.json").write_text("{")
        err = io.StringIO()
        argv = ["plimsoll-lab", "--state", str(self.state), "down", "--all"]
        with mock.patch.object(sys, "argv", argv), contextlib.redirect_stderr(err):
            self.assertEqual(cli.main(), 1)
        self.assertIn("is damaged", err.getvalue())
        self.assertFalse(master.alive())
        (damaged / "instance.json").unlink()

    def test_an_interrupted_start_leaves_nothing(self):
        self.write("T04", GOOD.replace('kind = "nginx"', 'kind = "nginx"', 1))
        script = (
            "import sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path\n"
            "from plimsoll_lab import cli, paths; from plimsoll_lab.tiers import nginx\n"
            "paths.CASES = Path(sys.argv[2]); nginx.Nginx.is_ready = lambda self: False\n"
            "sys.argv[1:] = ['--state', sys.argv[3], 'up', 'T04', '--seed', '5']\n"
            "sys.exit(cli.main())"
        )
        with subprocess.Popen(
            [sys.executable, "-c", script, str(paths.LAB), str(self.cases), str(self.state)],
            stderr=subprocess.DEVNULL,
        ) as child:
            facts = self.await_pid(child, self.state / "T04" / "instance.json")
            child.send_signal(signal.SIGTERM)
            self.assertEqual(child.wait(30), 143)
        self.assertFalse(process.Process(facts["pid"], facts["start_time"]).alive())
        self.assertFalse((self.state / "T04").exists())

    def await_pid(self, child: subprocess.Popen, file: Path) -> dict:
        while child.poll() is None:
            with contextlib.suppress(OSError, ValueError, LookupError):
                tier = json.loads(file.read_text())["tiers"][0]
                if tier["pid"]:
                    return tier
        raise AssertionError("it ended by itself")

    def test_one_at_a_time(self):
        with (
            locked("one", self.state),
            self.assertRaisesRegex(LabError, "another process"),
            locked("one", self.state),
        ):
            self.fail("locked twice")

    def test_names_that_leave_the_folder_are_refused(self):
        for bad in ("../x", "a/b", "", ".hidden"):
            with self.assertRaisesRegex(LabError, "not allowed"):
                load(bad, self.state)

    @unittest.skipUnless(shares.mechanism() != "affinity", "no control group can be made here")
    def test_its_share_is_real_and_goes(self):
        running = self.up()
        share = running.tier("front")["share"]
        self.assertIn(running.tier("front")["pid"], shares.members(share))
        quota = [
            Path(each, file).read_text().split()[0]
            for each in share["dirs"]
            for file in ("cpu.cfs_quota_us", "cpu.max")
            if Path(each, file).exists()
        ]
        self.assertEqual(quota, ["50000"])
        engine.down(running, **SILENT)
        self.assertFalse(any(Path(each).exists() for each in share["dirs"]))
        self.assertFalse(any(Path(each).parent.exists() for each in share["dirs"]))

    @unittest.skipUnless(ROOT, "network namespaces need root")
    def test_namespace_link_and_sysctl(self):
        self.write("T05", IN_NAMESPACE)
        running = self.up("T05")
        net = running.facts["network"]
        self.assertIn("Active connections", fetch(running.tier("front")["status_url"]))
        self.assertEqual(self.reuse(net), "0")
        device = net["links"][0]["ends"][0]["device"]
        self.assertIn("rate 100Mbit", self.tc(device))
        engine.switch(running, True, **SILENT)
        self.assertEqual(self.reuse(net), "1")
        self.assertIn("rate 200Mbit", self.tc(device))
        engine.down(running, **SILENT)
        self.assertFalse(Path(net["namespaces"]["away"]).exists())
        self.assertFalse(Path("/sys/class/net", device).exists())

    def reuse(self, net: dict) -> str:
        with network.entered(net["namespaces"]["away"]):
            return Path("/proc/sys/net/ipv4/tcp_tw_reuse").read_text().strip()

    def tc(self, device: str) -> str:
        return subprocess.run(
            ["tc", "qdisc", "show", "dev", device], capture_output=True, text=True, check=True
        ).stdout

    def test_the_command_line(self):
        out, err = io.StringIO(), io.StringIO()
        with (
            mock.patch.object(
                sys, "argv", ["plimsoll-lab", "--state", str(self.state), "up", "T01"]
            ),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            self.assertEqual(cli.main(), 0)
        facts = dict(line.split("=", 1) for line in out.getvalue().splitlines())
        self.assertIn("Active", fetch(facts["URL"] + "/nginx_status"))
        self.assertIn(f"seed {facts['SEED']}", err.getvalue())
        self.assertEqual(int(facts["FRONT_PID"]), load("T01", self.state).tier("front")["pid"])


class ShareFiles(unittest.TestCase):
    """Version 2 on a folder that stands for it: what is written where."""

    def test_version_2(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "cgroup.controllers").write_text("cpuset cpu io memory\n")
            share = casefile.Share(cpu=0.5, cpuset=[0])
            made = shares.create("one-1234", "app", share, root)
            group = root / "plimsoll-lab" / "one-1234" / "app"
            self.assertEqual(made["mechanism"], "v2")
            self.assertEqual(made["dirs"], [str(group)])
            self.assertEqual((group / "cpu.max").read_text(), "50000 100000")
            self.assertEqual((group / "cpuset.cpus").read_text(), str(shares.allowed_cpus()[0]))
            self.assertEqual((root / "cgroup.subtree_control").read_text(), "+cpu +cpuset")
            shares.set_cpu(made, casefile.Share())
            self.assertEqual((group / "cpu.max").read_text(), "max 100000")

    def test_without_control_groups_it_is_affinity_and_said(self):
        with tempfile.TemporaryDirectory() as folder:
            made = shares.create("one", "app", casefile.Share(cpu=0.5), Path(folder))
            self.assertEqual(made["mechanism"], "affinity")
            self.assertEqual(len(made["cpuset"]), 1)
            self.assertIn("affinity", shares.say(made))
            self.assertIn("no control group", shares.say(made))


if __name__ == "__main__":
    unittest.main()
