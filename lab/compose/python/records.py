"""Settings of a service, and the sums of what its requests spent their time on."""

import json
import os
import signal
import threading
import time

with open(os.environ["APP_SETTINGS"], encoding="utf-8") as file:
    SETTINGS = json.load(file)


class Visit:
    """One request: what it spent its time on, in s."""

    def __init__(self):
        self.begin = time.perf_counter()
        self.spent = {}
        self.status = 200
        self.bytes = 0

    def add(self, what, since):
        """Notes the time since then."""
        self.spent[what] = self.spent.get(what, 0.0) + time.perf_counter() - since

    def working(self, task):
        """Computes."""
        begin, cpu = time.perf_counter(), time.thread_time()
        task()
        self.add_s("work_cpu", time.thread_time() - cpu)
        self.add("work", begin)

    def add_s(self, what, seconds):
        """Notes a time."""
        self.spent[what] = self.spent.get(what, 0.0) + seconds

    def absorb(self, branches, since):
        """Adds what branches spent that were there at once: each has its share of the time that all of them took. How
        long calls took as such is noted beside it."""
        took = time.perf_counter() - since
        parts = [part for branch in branches for part in branch.spent.items()]
        together = sum(spent for _, spent in parts)
        for what, spent in parts:
            self.add_s(what, spent * took / together)
            if what.startswith("call:"):
                self.add_s(what.replace("call:", "whole:", 1), spent)
        self.status = max(self.status, *(branch.status for branch in branches))

    def body(self):
        """What is sent back."""
        return b"x" * self.bytes if self.bytes else b"done\n"


class Records:
    """Sums over all requests so far."""

    def __init__(self):
        # The handler of the signal may come in between.
        self.lock = threading.RLock()
        self.requests = self.failed = 0
        self.total_ms = 0.0
        self.sums = {}
        self.histogram = [0] * 32

    def add(self, visit):
        """Adds a request that is done."""
        total = time.perf_counter() - visit.begin
        with self.lock:
            self.requests += 1
            self.failed += visit.status >= 400
            self.total_ms += total * 1000
            for what, spent in visit.spent.items():
                self.sums[what] = self.sums.get(what, 0.0) + spent * 1000
            self.histogram[min(int(total * 1e6).bit_length(), 31)] += 1

    def write(self, *_):
        """Writes the sums."""
        with self.lock:
            text = json.dumps(
                {
                    "pid": os.getpid(),
                    "requests": self.requests,
                    "failed": self.failed,
                    "total_ms": self.total_ms,
                    "sums": self.sums,
                    "histogram_log2_us": self.histogram,
                }
            )
        path = os.path.join(SETTINGS["records"], f"{SETTINGS['name']}.{os.getpid()}.json")
        with open(path + ".new", "w", encoding="utf-8") as out:
            out.write(text)
        os.replace(path + ".new", path)


RECORDS = Records()
signal.signal(signal.SIGUSR2, RECORDS.write)
RECORDS.write()
