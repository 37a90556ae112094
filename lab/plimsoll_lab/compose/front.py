"""nginx in front of the first service: a proxy, or what speaks FastCGI to PHP's children."""

from collections.abc import Callable

from ..tiers.nginx import Nginx

NAME = "front"


class Front(Nginx):
    """The lab's nginx."""


def settings(composition: dict, tier: Callable[[str], dict]) -> dict:
    """Its settings: the upstream is the first service."""
    first = tier(composition["services"][0]["name"])
    return {
        "upstream": f"{first['host']}:{first['ports']['http']}",
        "workers": composition["front"]["workers"],
        "access_log": True,
    }
