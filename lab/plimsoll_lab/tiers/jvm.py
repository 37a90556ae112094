"""The Spring Boot tiers: the service and the gateway."""

import json
from pathlib import Path

from .. import paths
from . import java
from .base import Kind, answers, find_program, request

_LOGGER = "logging.level."


class Spring(Kind):
    """The Spring Boot service. Settings are its properties; their file is read at each start."""

    folder = "service"
    jar = "lab-service-{server}.jar"
    server = "tomcat"
    built = "lab-service-tomcat.jar"
    health = "/actuator/health"

    @classmethod
    def missing(cls, jdk: int, server: str | None) -> list[str]:
        found = [] if jdk in java.homes() else [f"JDK {jdk}"]
        if not (paths.LAB / cls.folder / "pom.xml").is_file():
            found.append(f"lab/{cls.folder}")
        if not cls.jar_file(server).is_file() and not find_program("mvn"):
            found.append("Maven")
        return found

    @classmethod
    def build(cls) -> None:
        java.build(paths.LAB / cls.folder, cls.built)

    @classmethod
    def jar_file(cls, server: str | None) -> Path:
        """The jar of this web server."""
        return paths.LAB / cls.folder / "target" / cls.jar.format(server=server or cls.server)

    def prepare(self) -> None:
        place = self.place
        settings = {
            "server.address": place.host,
            "server.port": place.ports["http"],
            "management.server.address": place.host,
            "management.server.port": place.ports["management"],
            "logging.file.name": str(place.directory / "service.log"),
            "logging.threshold.console": "OFF",
        }
        if place.generated:
            settings["lab.generated.package"] = place.names["package"]
        settings |= place.settings
        (place.directory / "application.properties").write_text(
            "".join(f"{_escape(key, True)}={_escape(value)}\n" for key, value in settings.items()),
            encoding="ascii",
        )

    def command(self) -> list[str]:
        place = self.place
        options = list(place.jvm) or ["-Xmx512m"]
        if place.generated:
            options.append(f"-Dloader.path={place.generated}")
        return [
            str(java.home(place.tier.jdk) / "bin" / "java"),
            *options,
            f"-Djava.io.tmpdir={place.directory}",
            "-jar",
            str(self.own_jar()),
            f"--spring.config.additional-location=file:{place.directory}/",
        ]

    def own_jar(self) -> Path:
        """A copy, since a jar must not change under a running JVM."""
        source = self.jar_file(self.place.tier.server)
        own = self.place.directory / source.name
        if not own.exists():
            own.write_bytes(source.read_bytes())
        return own

    def is_ready(self) -> bool:
        place = self.place
        return answers(place.host, place.ports["management"], self.health)

    def switch_live(self, before: dict[str, object]) -> bool:
        after = self.place.settings
        changed = [key for key in before.keys() | after.keys() if before.get(key) != after.get(key)]
        if not all(key.startswith(_LOGGER) for key in changed):
            return False
        self.prepare()
        return all(self._set_level(key.removeprefix(_LOGGER), after.get(key)) for key in changed)

    def _set_level(self, logger: str, level: object) -> bool:
        name = "ROOT" if logger == "root" else logger
        body = json.dumps({"configuredLevel": level})
        place = self.place
        status, _ = request(
            place.host, place.ports["management"], "POST", f"/actuator/loggers/{name}", body
        )
        return 200 <= status < 300

    def facts(self) -> dict[str, object]:
        place = self.place
        return {
            "url": f"http://{place.host}:{place.ports['http']}",
            "management_url": f"http://{place.host}:{place.ports['management']}",
        }

    def logs(self) -> list[Path]:
        return [self.place.directory / "log", self.place.directory / "service.log"]


class Gateway(Spring):
    """Spring Cloud Gateway; settings are its properties."""

    folder = "gateway"
    jar = built = "lab-gateway.jar"


def _escape(text: object, key: bool = False) -> str:
    """A key or value of a .properties file."""
    if isinstance(text, bool):
        text = str(text).lower()
    escaped = str(text).replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    if key:
        escaped = "".join(f"\\{each}" if each in " :=#!" else each for each in escaped)
    elif escaped.startswith(" "):
        escaped = "\\" + escaped
    units = escaped.encode("utf-16-be")
    return "".join(
        chr(code) if 32 <= code < 127 else f"\\u{code:04x}"
        for code in (int.from_bytes(units[at : at + 2], "big") for at in range(0, len(units), 2))
    )
