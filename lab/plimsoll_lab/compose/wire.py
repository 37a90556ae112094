"""A bad way between a composition's services and who asks them, in network namespaces of its own: who asks is near,
the services are far, and in the middle packets are late, or not all of them get through."""

import sys
from pathlib import Path

from .. import network, paths
from ..tiers.base import Announced

NAME = "wire"
_SCRIPT = paths.LAB / "compose" / "wire" / "carry.py"
_NEAR, _MIDDLE, _FAR = "near", "middle", "far"


def spaces(unique: str) -> dict:
    """The namespaces, with a link between the middle and where the services are."""
    return network.describe(unique, [_NEAR, _MIDDLE, _FAR], [{"ends": [_MIDDLE, _FAR]}])


def create(made: dict) -> None:
    """Makes them; the middle passes on what is not for itself."""
    network.create(made, {_MIDDLE: {"net.ipv4.ip_forward": 1}})


def near(made: dict) -> str:
    """Where the generator is, and what stands in front."""
    return made["namespaces"][_NEAR]


def far(made: dict) -> dict:
    """Where the services are."""
    return {"host": made["addresses"][_FAR], "netns": made["namespaces"][_FAR]}


def limit(made: dict, wanted: dict) -> None:
    """Lets no more through, each way, than the link is to carry; without `rate_mbit` all."""
    for link in made["links"]:
        network.set_rate(made, link, wanted.get("rate_mbit"))


def settings(made: dict, wanted: dict) -> dict:
    """Those of the wire: its namespaces and addresses, and how bad it is."""
    places = {key: made["namespaces"][key] for key in (_MIDDLE, _FAR)}
    addresses = {f"{key}_address": made["addresses"][key] for key in (_MIDDLE, _FAR)}
    return places | addresses | wanted


class Wire(Announced):
    """Carries packets. Settings: those above, delay_ms (in each direction), loss_percent."""

    programs = ("ip", "nft")

    @classmethod
    def missing(cls, jdk: int = 0, server: str | None = None) -> list[str]:
        device = [] if Path("/dev/net/tun").exists() else ["/dev/net/tun"]
        return device + super().missing(jdk, server)

    def command(self) -> list[str]:
        order = (_MIDDLE, _FAR, f"{_MIDDLE}_address", f"{_FAR}_address", "delay_ms", "loss_percent")
        return [sys.executable, str(_SCRIPT), *(str(self.place.settings[key]) for key in order)]
