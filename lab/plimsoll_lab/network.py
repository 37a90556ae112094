"""Network namespaces of an instance, links between them and their limits. Needs root.

The description that `create` gives goes into instance.json and is all that `remove` needs.
"""

import contextlib
import ctypes
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from .casefile import HOST
from .errors import LabError

NAMESPACES = Path("/run/netns")
_CLONE_NEWNET = 0x40000000
_LATENCY_MS = 50


def _run(*argv: str) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LabError(f"{' '.join(argv)}: {done.stderr.strip() or done.returncode}")
    return done.stdout


@contextlib.contextmanager
def entered(path: str | None) -> Iterator[None]:
    """This thread, and what it starts meanwhile, stands in the namespace; None: where it is."""
    if path is None:
        yield
        return
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    try:
        inside = os.open(path, os.O_RDONLY)
        try:
            _set(inside)
        finally:
            os.close(inside)
        try:
            yield
        finally:
            _set(before)
    finally:
        os.close(before)


def _set(handle: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(handle, _CLONE_NEWNET):
        raise LabError(
            f"the network namespace cannot be entered: {os.strerror(ctypes.get_errno())}"
        )


def describe(unique: str, names: list[str], links: list[dict]) -> dict:
    """What will be made; known before it is, so that nothing half made is forgotten."""
    made = {
        "namespaces": {name: str(NAMESPACES / f"plimsoll-{unique}-{name}") for name in names},
        "links": [],
        "addresses": {},
    }
    for index, link in enumerate(links):
        # A network of four addresses of its own, by the instance.
        base = f"10.{64 + int(unique[:2], 16) % 64}.{int(unique[2:4], 16)}."
        network = (int(unique[4:5], 16) * 4 + index) % 64 * 4
        ends = []
        for side, name in enumerate(link["ends"]):
            address = f"{base}{network + 1 + side}"
            ends.append(
                {"netns": name, "device": f"pl{unique[:8]}{index}{'ab'[side]}", "address": address}
            )
            made["addresses"].setdefault(name, address)
        made["links"].append({"ends": ends, "rate_mbit": None})
    return made


def create(made: dict, sysctls: dict[str, dict[str, object]]) -> None:
    """Makes namespaces and links, still without limits, and sets what is to be set."""
    for path in made["namespaces"].values():
        _run("ip", "netns", "add", Path(path).name)
        with entered(path):
            _run("ip", "link", "set", "lo", "up")
    for link in made["links"]:
        _link(made, link)
    set_sysctls(made, sysctls)


def _link(made: dict, link: dict) -> None:
    first, second = link["ends"]
    _run("ip", "link", "add", first["device"], "type", "veth", "peer", "name", second["device"])
    for end in link["ends"]:
        path = made["namespaces"].get(end["netns"])
        if path:
            _run("ip", "link", "set", end["device"], "netns", Path(path).name)
        with entered(path):
            _run("ip", "addr", "add", f"{end['address']}/30", "dev", end["device"])
            _run("ip", "link", "set", end["device"], "up")


def set_rate(made: dict, link: dict, rate_mbit: float | None) -> None:
    """Limits a link in both directions; None: no limit."""
    link["rate_mbit"] = rate_mbit
    for end in link["ends"]:
        with entered(made["namespaces"].get(end["netns"])):
            if rate_mbit is None:
                with contextlib.suppress(LabError):
                    _run("tc", "qdisc", "del", "dev", end["device"], "root")
            else:
                # A burst holds two of the largest packets that offloading makes.
                _run(
                    "tc",
                    "qdisc",
                    "replace",
                    "dev",
                    end["device"],
                    "root",
                    "tbf",
                    "rate",
                    f"{rate_mbit:g}mbit",
                    "burst",
                    "128kb",
                    "latency",
                    f"{_LATENCY_MS}ms",
                )


def set_sysctls(made: dict, sysctls: dict[str, dict[str, object]]) -> None:
    """Kernel settings of each namespace, by their dotted names; only those of the network."""
    for name, settings in sysctls.items():
        with entered(made["namespaces"][name]):
            for key, value in settings.items():
                if not key.startswith("net.") or "/" in key:
                    raise LabError(f"{key} is no setting of a network namespace")
                file = Path("/proc/sys", *key.split("."))
                try:
                    file.write_text(str(value))
                except OSError as error:
                    raise LabError(f"{key} cannot be set to {value!r}: {error.strerror}") from error


def held_ports(made: dict) -> float:
    """Sockets in TIME_WAIT as a share of the local ports, in the namespace where it is largest."""
    shares = [0.0]
    for path in made["namespaces"].values():
        with entered(path):
            text = Path("/proc/thread-self/net/sockstat").read_text()
            first, last = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
        words = next(line for line in text.splitlines() if line.startswith("TCP:")).split()
        held = int(words[words.index("tw") + 1])
        shares.append(held / (int(last) - int(first) + 1))
    return max(shares)


def remove(made: dict) -> list[str]:
    """Removes links and namespaces; gives back what stays."""
    for link in made["links"]:
        for end in link["ends"]:
            if end["netns"] == HOST:
                subprocess.run(
                    ["ip", "link", "del", end["device"]], capture_output=True, check=False
                )
    left = []
    for path in map(Path, made["namespaces"].values()):
        if path.exists():
            # Devices in it go with it.
            subprocess.run(["ip", "netns", "del", path.name], capture_output=True, check=False)
            if path.exists():
                left.append(str(path))
    return left
