"""Redis. Settings are lines of redis.conf (`maxclients = 100`)."""

import socket

from .. import paths
from .base import Kind, program


class Redis(Kind):
    """A Redis without persistence."""

    programs = ("redis-server",)

    def prepare(self) -> None:
        place = self.place
        text = (paths.LAB / "redis" / "redis.conf.tmpl").read_text()
        text = (
            text.replace("@host@", place.host)
            .replace("@port@", str(place.ports["redis"]))
            .replace("@dir@", str(place.directory))
        )
        text += "".join(f"{key} {value}\n" for key, value in place.settings.items())
        (place.directory / "redis.conf").write_text(text)

    def command(self) -> list[str]:
        return [program("redis-server"), str(self.place.directory / "redis.conf")]

    def _ask(self, command: str) -> str:
        address = (self.place.host, self.place.ports["redis"])
        try:
            with socket.create_connection(address, timeout=2) as connection:
                connection.sendall(command.encode() + b"\r\n")
                return connection.recv(4096).decode(errors="replace")
        except OSError:
            return ""

    def is_ready(self) -> bool:
        return self._ask("PING").startswith("+PONG")

    def switch_live(self, before: dict[str, object]) -> bool:
        after = self.place.settings
        if before.keys() - after.keys():
            return False  # what its default was is not known
        self.prepare()
        return all(
            self._ask(f"CONFIG SET {key} {value}").startswith("+OK")
            for key, value in after.items()
            if before.get(key) != value
        )
