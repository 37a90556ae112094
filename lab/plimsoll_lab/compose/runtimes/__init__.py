"""The runtimes; adding one takes a file here and a line below."""

import functools

from .base import Runtime
from .go import Go, GoJobs
from .jvm import JvmJetty, JvmOwn, JvmTomcat, JvmUndertow, JvmVertx, JvmWebFlux
from .node import Node
from .php import Php
from .python import PythonLoop, PythonSync, PythonThreads

ALL: tuple[type[Runtime], ...] = (
    Go,
    GoJobs,
    PythonSync,
    PythonThreads,
    PythonLoop,
    Node,
    Php,
    JvmOwn,
    JvmTomcat,
    JvmJetty,
    JvmUndertow,
    JvmVertx,
    JvmWebFlux,
)


def find(name: str) -> type[Runtime]:
    """The runtime of that id."""
    return next(each for each in ALL if each.id == name)


@functools.cache
def _lacks() -> dict[str, list[str]]:
    """What this machine lacks for each."""
    return {each.id: each.missing() for each in ALL}


def available() -> list[str]:
    """Those that this machine can run."""
    return [each for each, lacks in _lacks().items() if not lacks]


def left_out() -> dict[str, list[str]]:
    """Those that it cannot, and what they lack."""
    return {each: lacks for each, lacks in _lacks().items() if lacks}
