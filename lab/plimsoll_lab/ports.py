"""Ports for an instance's servers: in an order from the seed, the first that are free."""

import random
import socket

from .errors import LabError

# Below the range that Linux takes local ports from: a restart finds its port free again.
LOW, HIGH = 10_000, 19_999


def choose(source: random.Random, count: int) -> list[int]:
    """So many free ports; the same ones for the same seed if nobody has them."""
    found: list[int] = []
    for _ in range(10_000):
        if len(found) == count:
            return found
        port = source.randint(LOW, HIGH)
        if port not in found and _is_free(port):
            found.append(port)
    raise LabError(f"no {count} ports from {LOW} to {HIGH} are free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("0.0.0.0", port))
        except OSError:
            return False
    return True
