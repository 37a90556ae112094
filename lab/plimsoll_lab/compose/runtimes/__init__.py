"""The runtimes; adding one takes a file here and a line below."""

from .base import Runtime
from .go import Go

ALL: tuple[type[Runtime], ...] = (Go,)


def find(name: str) -> type[Runtime]:
    """The runtime of that id."""
    return next(each for each in ALL if each.id == name)


def available() -> list[str]:
    """Those that this machine can run."""
    return [each.id for each in ALL if not each.missing()]


def left_out() -> dict[str, list[str]]:
    """Those that it cannot, and what they lack."""
    return {each.id: lacks for each in ALL if (lacks := each.missing())}
