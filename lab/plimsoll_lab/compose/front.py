"""What stands in front of the first service: a proxy, or what speaks FastCGI to PHP's children."""

import os
from collections.abc import Callable
from pathlib import Path

from ..tiers.base import Kind, accepts, program
from ..tiers.nginx import Nginx

NAME = "front"
_MODULES = Path("/usr/lib/apache2/modules")
_HAPROXY = """
global
    maxconn 2000
    nbthread 1
defaults
    mode http
    timeout connect 5s
    timeout client 60s
    timeout server 60s
    timeout queue 60s
frontend door
    bind {host}:{port}
    default_backend behind
backend behind
    server one {upstream}{maxconn}
"""
_APACHE = """
ServerRoot "{directory}"
ServerName localhost
Listen {host}:{port}
PidFile "{directory}/pid"
ErrorLog "{directory}/log"
DefaultRuntimeDir "{directory}"
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule proxy_module {modules}/mod_proxy.so
LoadModule proxy_http_module {modules}/mod_proxy_http.so
StartServers 1
ServerLimit {servers}
ThreadsPerChild {threads}
ThreadLimit {threads}
MaxRequestWorkers {workers}
ProxyPass "/" "http://{upstream}/"
"""


class Front(Nginx):
    """The lab's nginx. Settings: those of the tier."""


class Door(Kind):
    """A proxy that has no status page here."""

    def is_ready(self) -> bool:
        return accepts(self.place.host, self.place.ports["http"])

    def facts(self) -> dict[str, object]:
        return {"url": f"http://{self.place.host}:{self.place.ports['http']}"}


class Haproxy(Door):
    """HAProxy. Settings: upstream, maxconn (requests at a time to the server behind; 0: any)."""

    programs = ("haproxy",)

    def prepare(self) -> None:
        most = self.place.settings["maxconn"]
        (self.place.directory / "haproxy.cfg").write_text(
            _HAPROXY.format(
                host=self.place.host,
                port=self.place.ports["http"],
                upstream=self.place.settings["upstream"],
                maxconn=f" maxconn {most}" if most else "",
            )
        )

    def command(self) -> list[str]:
        return [program("haproxy"), "-db", "-f", str(self.place.directory / "haproxy.cfg")]


class Apache(Door):
    """Apache's httpd as a proxy, threads by the event module. Settings: upstream, workers."""

    programs = ("apache2",)

    def prepare(self) -> None:
        workers = int(self.place.settings["workers"])
        threads = min(workers, 50)
        (self.place.directory / "httpd.conf").write_text(
            _APACHE.format(
                directory=self.place.directory,
                host=self.place.host,
                port=self.place.ports["http"],
                upstream=self.place.settings["upstream"],
                modules=_MODULES,
                threads=threads,
                workers=workers,
                servers=-(-workers // threads),
            )
        )

    def command(self) -> list[str]:
        # It refuses to serve as root where it cannot become somebody else.
        user = ["-C", "User www-data", "-C", "Group www-data"] if os.geteuid() == 0 else []
        file = str(self.place.directory / "httpd.conf")
        return [program("apache2"), *user, "-DFOREGROUND", "-f", file]


KINDS: dict[str, type[Kind]] = {"nginx": Front, "haproxy": Haproxy, "apache": Apache}


def kind(composition: dict) -> str:
    """What stands there; where nothing is said, nginx."""
    return composition["front"].get("kind", "nginx")


def settings(composition: dict, tier: Callable[[str], dict]) -> dict:
    """Its settings: the upstream is the first service."""
    first = tier(composition["services"][0]["name"])
    own = {key: value for key, value in composition["front"].items() if key != "kind"}
    if kind(composition) == "nginx":
        own["access_log"] = True
    return {"upstream": f"{first['host']}:{first['ports']['http']}", **own}
