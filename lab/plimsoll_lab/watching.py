"""What of an instance's tiers a load must be told to watch; the rest `auto` finds by itself."""

import socket

from .instance import Instance

PASSWORD = "PLIMSOLL_LAB_DB_PASSWORD"
"""The variable that holds the database's password for `password-env`."""


def arguments(running: Instance) -> list[str]:
    """Options of `plimsoll run` that make it watch every tier.

    `auto` finds what is connected to the target on this host, in any network namespace, by
    looking. It cannot know a database's password, and it does not ask endpoints in a namespace
    that is not the generator's.
    """
    found = ["--watch", "auto", "--watch-allow-capture"]
    for tier in running.facts["tiers"]:
        for source in _sources(tier, running.facts["load"]["netns"]):
            found += ["--watch", source]
    return found


def environment(running: Instance) -> dict[str, str]:
    """Variables that the options name."""
    passwords = [tier["password"] for tier in running.facts["tiers"] if "password" in tier]
    return {PASSWORD: passwords[0]} if passwords else {}


def _sources(tier: dict, netns: str | None) -> list[str]:
    away = tier["netns"] != netns
    match tier["kind"]:
        case "mariadb":
            address = f"{tier['host']}:{tier['ports']['mysql']}"
            return [f"mysql=mysql://{address},user={tier['user']},password-env={PASSWORD}"]
        case "redis" if away:
            return [f"redis=redis://{tier['host']}:{tier['ports']['redis']}"]
        case "nginx" if away:
            return [f"nginx={tier['status_url']},access-log={tier['access_log']}"]
        case "spring" | "gateway" if away:
            # Named as other sources name the process, so that what they say comes together.
            name = f"java[{min(tier['ports'].values())}]"
            here = socket.gethostname()
            return [f"actuator={tier['management_url']}/actuator,name={name},on={here}"]
    return []
