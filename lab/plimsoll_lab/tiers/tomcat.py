"""Plain embedded Tomcat, of versions that have the old connectors."""

from pathlib import Path

from .. import paths
from . import java
from .base import Kind, answers, find_program

_VERSION = {"bio": "8.0"}
_NATIVE = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib")


class Tomcat(Kind):
    """lab/tomcat. The tier's server is its connector: bio, nio, nio2 or apr.

    Settings are the connector's attributes (maxThreads, acceptCount …), and sleep-ms.
    """

    folder = paths.LAB / "tomcat"

    @classmethod
    def missing(cls, jdk: int, server: str | None) -> list[str]:
        found = [] if jdk in java.homes() else [f"JDK {jdk}"]
        if not (cls.folder / "target" / "lab-tomcat.jar").is_file() and not find_program("mvn"):
            found.append("Maven")
        native = [file for each in _NATIVE for file in Path(each).glob("libtcnative-1.so*")]
        if server == "apr" and not native:
            found.append("libtcnative-1")
        return found

    @classmethod
    def build(cls) -> None:
        java.build(cls.folder, "lab-tomcat.jar")

    def prepare(self) -> None:
        (self.place.directory / "port").unlink(missing_ok=True)

    def command(self) -> list[str]:
        place = self.place
        connector = place.tier.server or "nio"
        target = self.folder / "target"
        path = f"{target}/lab-tomcat.jar:{target}/lib-{_VERSION.get(connector, '9.0')}/*"
        return [
            str(java.home(place.tier.jdk) / "bin" / "java"),
            *(place.jvm or ["-Xmx512m"]),
            f"-Djava.io.tmpdir={place.directory}",
            "-cp",
            path,
            "io.plimsoll.lab.tomcat.Main",
            f"--port-file={place.directory}/port",
            f"--protocol={connector}",
            f"--port={place.ports['http']}",
            f"--address={place.host}",
            *(f"--{key}={value}" for key, value in place.settings.items()),
        ]

    def is_ready(self) -> bool:
        return answers(self.place.host, self.place.ports["http"], "/hello?sleep=0")

    def facts(self) -> dict[str, object]:
        return {"url": f"http://{self.place.host}:{self.place.ports['http']}"}
