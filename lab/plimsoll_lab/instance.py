"""Instances: a folder each, with instance.json, which says all that is needed to end them."""

import contextlib
import fcntl
import hashlib
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from . import paths
from .errors import LabError

FORMAT = 1
FILE = "instance.json"


class Instance:
    """One running case. `facts` is what instance.json holds."""

    def __init__(self, directory: Path, facts: dict):
        self.directory = directory
        self.facts = facts

    @property
    def name(self) -> str:
        """Its name: that of the folder."""
        return self.directory.name

    @property
    def unique(self) -> str:
        """Eight hexadecimal digits for names that the whole machine shares."""
        return hashlib.sha256(str(self.directory).encode()).hexdigest()[:8]

    def save(self) -> None:
        """Writes instance.json whole or not at all."""
        new = self.directory / f"{FILE}.new"
        new.write_text(
            json.dumps(self.facts, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        os.replace(new, self.directory / FILE)

    def tier(self, name: str) -> dict:
        """The facts of a tier."""
        for tier in self.facts["tiers"]:
            if tier["name"] == name:
                return tier
        names = ", ".join(each["name"] for each in self.facts["tiers"])
        raise LabError(f"'{self.name}' has no tier '{name}'; it has: {names}")


def check_name(name: str) -> str:
    """A name becomes a folder: no slash, no dot in front."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", name):
        raise LabError(
            f"the name '{name}' is not allowed: use up to 64 letters, digits or . _ - "
            "and begin with a letter or digit"
        )
    return name


def load(name: str, state: Path) -> Instance:
    """The instance of that name."""
    directory = state / check_name(name)
    try:
        facts = json.loads((directory / FILE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        running = ", ".join(names(state)) or "nothing"
        raise LabError(f"'{name}' does not run; what runs: {running}") from None
    except ValueError as error:
        raise LabError(f"{directory / FILE} is damaged: {error}") from error
    if facts.get("format") != FORMAT:
        raise LabError(f"{directory / FILE} was written by another version of the lab")
    return Instance(directory, facts)


def names(state: Path) -> list[str]:
    """The names of all instances."""
    return sorted(each.parent.name for each in state.glob(f"*/{FILE}"))


@contextlib.contextmanager
def locked(name: str, state: Path) -> Iterator[None]:
    """Nobody else starts, switches or ends this instance meanwhile."""
    state.mkdir(parents=True, exist_ok=True)
    locks = state / ".locks"
    locks.mkdir(exist_ok=True)
    with (locks / check_name(name)).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise LabError(
                f"'{name}' is being started, switched or ended by another process"
            ) from None
        yield


@contextlib.contextmanager
def cache_lock() -> Iterator[Path]:
    """The folder of what is made once, for one process at a time."""
    paths.CACHE.mkdir(parents=True, exist_ok=True)
    with (paths.CACHE / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield paths.CACHE
