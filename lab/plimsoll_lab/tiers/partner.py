"""A system of somebody else: answers after a delay and costs hardly any CPU."""

import re
from pathlib import Path

from .. import paths
from . import java
from .base import Kind, accepts


class Partner(Kind):
    """lab/partner/Partner.java, run from its source; it chooses its port. Setting: delay_ms."""

    @classmethod
    def missing(cls, jdk: int, server: str | None) -> list[str]:
        del server
        return [] if jdk in java.homes() else [f"JDK {jdk}"]

    @property
    def _port_file(self) -> Path:
        return self.place.directory / "port"

    def prepare(self) -> None:
        self._port_file.unlink(missing_ok=True)

    def command(self) -> list[str]:
        return [
            str(java.home(self.place.tier.jdk) / "bin" / "java"),
            "-Xmx128m",
            "-XX:+UseSerialGC",
            str(paths.LAB / "partner" / "Partner.java"),
            str(self._port_file),
            str(self.place.settings.get("delay_ms", 0)),
        ]

    def is_ready(self) -> bool:
        if not self._port_file.is_file():
            return False
        text = self._port_file.read_text()
        if not re.fullmatch(r"\d+", text):
            return False
        self.place.ports["http"] = int(text)
        return accepts(self.place.host, self.place.ports["http"])

    def facts(self) -> dict[str, object]:
        return {"url": f"http://{self.place.host}:{self.place.ports['http']}"}
