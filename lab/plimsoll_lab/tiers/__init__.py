"""The kinds of tiers; adding one takes a file here, a line below and one in casefile.KINDS."""

from .base import Kind, Place
from .jvm import Gateway, Spring
from .mariadb import MariaDb
from .nginx import Nginx
from .partner import Partner
from .redis import Redis
from .tomcat import Tomcat

_KINDS: dict[str, type[Kind]] = {
    "spring": Spring,
    "gateway": Gateway,
    "tomcat": Tomcat,
    "partner": Partner,
    "nginx": Nginx,
    "mariadb": MariaDb,
    "redis": Redis,
}


def kind(place: Place) -> Kind:
    """What knows how to run the tier at this place."""
    return _KINDS[place.tier.kind](place)


def build(name: str) -> None:
    """Builds what this kind of tier is made of, if its sources are newer."""
    _KINDS[name].build()


def missing(name: str, jdk: int, server: str | None) -> list[str]:
    """What this machine lacks to run such a tier."""
    return _KINDS[name].missing(jdk, server)
