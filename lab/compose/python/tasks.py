"""What a step computes, keeps or writes."""

import gzip
import hashlib
import itertools
import json
import os
import re

from records import SETTINGS

_DOCUMENT = '{"id":17,"text":"a line of words","price":12.5,"tags":["x","y","z"]},' * 20
_LIST = f"[{_DOCUMENT[:-1]}]"
_PATTERN = re.compile(r'"price":([0-9]+)\.([0-9]+)')
_kept = []
_serial = itertools.count()


def work(how, rounds):
    """Computes for so many rounds."""
    for _ in range(rounds):
        if how == "json":
            for _ in range(2):
                json.dumps(json.loads(_LIST))
        elif how == "regex":
            for _ in range(20):
                _PATTERN.findall(_DOCUMENT)
        elif how == "gzip":
            for _ in range(9):
                gzip.compress(_DOCUMENT.encode(), 9)
        elif how == "hash":
            for _ in range(60):
                hashlib.sha256(_DOCUMENT.encode()).hexdigest()
        else:
            own()


def own():
    """Sums up, in Python alone."""
    total = 17
    for each in range(1300):
        total = (total * 31 + each % 7) & 0xFFFFFFFF
    return total


def allocate(size, keep):
    """Makes many small things and throws them away, and keeps some bytes for ever."""
    last = [b""] * 64
    for each in range(size // 1024):
        last[each % 64] = bytes(1024)
    if keep:
        _kept.append(bytes(keep))
    return len(last)


def store(size, sync, count):
    """Writes so many files."""
    for _ in range(max(count, 1)):
        path = os.path.join(
            SETTINGS["directory"], f"part-{os.getpid()}-{next(_serial) % 64}"
        )
        with open(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644), "wb") as out:
            out.write(b"x" * size)
            if sync:
                out.flush()
                os.fsync(out.fileno())
