"""A process is ours only if id and start time agree."""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from plimsoll_lab import process


def sleeper(*command: str) -> subprocess.Popen:
    return subprocess.Popen(command or ("sleep", "300"), start_new_session=True)


class Identity(unittest.TestCase):
    def start(self, *command: str) -> subprocess.Popen:
        child = sleeper(*command)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def test_alive_until_it_ends(self):
        child = self.start()
        found = process.identify(child.pid)
        self.assertTrue(found.alive())
        process.stop([found])
        self.assertFalse(found.alive())  # a zombie till we ask for its end
        self.assertEqual(child.wait(), -signal.SIGTERM)

    def test_another_with_the_same_id_is_left_alone(self):
        child = self.start()
        other = process.Process(child.pid, process.identify(child.pid).start_time - 1)
        self.assertFalse(other.alive())
        process.stop([other])
        process.send(other, signal.SIGKILL)
        self.assertIsNone(child.poll())

    def test_what_does_not_react_is_killed(self):
        child = self.start(
            sys.executable,
            "-c",
            "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
            "print(flush=True); time.sleep(300)",
        )
        found = process.identify(child.pid)
        while not _ignores_term(child.pid):
            pass
        process.stop([found], seconds=0.2)
        self.assertEqual(child.wait(), -signal.SIGKILL)

    def test_what_is_frozen_ends(self):
        child = self.start()
        os.kill(child.pid, signal.SIGSTOP)
        process.stop([process.identify(child.pid)])
        self.assertEqual(child.wait(), -signal.SIGTERM)

    def test_a_name_with_parentheses_does_not_confuse(self):
        with tempfile.TemporaryDirectory() as folder:
            odd = Path(folder, "a) R 1 (b")
            odd.symlink_to("/bin/sleep")
            child = self.start(str(odd), "300")
            self.assertTrue(process.identify(child.pid).alive())

    def test_nobody(self):
        self.assertIsNone(process.identify(2**22 + 1))
        self.assertFalse(process.Process(2**22 + 1, 1).alive())
        process.stop([process.Process(2**22 + 1, 1)])

    def test_orphans_of_a_session_are_found_by_their_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            parent = subprocess.Popen(
                ["sh", "-c", "sleep 300 & echo $!; wait"],
                cwd=folder,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            orphan = int(parent.stdout.readline())
            parent.stdout.close()
            parent.kill()
            parent.wait()
            found = process.session_members(parent.pid, Path(folder))
            self.assertEqual([each.pid for each in found], [orphan])
            self.assertEqual(process.session_members(parent.pid, Path("/nowhere")), [])
            process.stop(found)

    def test_cpu_counts_what_it_started(self):
        child = self.start("sh", "-c", "while :; do :; done & wait")
        found = process.identify(child.pid)
        while process.cpu_s(found) < 0.1:
            self.assertIsNone(child.poll())
        below = [process.identify(pid) for pid in process.with_children(found)]
        self.assertEqual(len(below), 2)
        process.stop(below)


def _ignores_term(pid: int) -> bool:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("SigIgn:"):
            return bool(int(line.split()[1], 16) >> (signal.SIGTERM - 1) & 1)
    return False


if __name__ == "__main__":
    unittest.main()
