"""The JVM: the JDK's own server with an executor, Tomcat, Jetty and Undertow; with event loops, Vert.x and WebFlux."""

import signal

from ...tiers import java
from ...tiers.base import find_program
from .base import ALL_STEPS, SOURCES, Runtime

_SOURCES = SOURCES / "jvm"
_JAR = "lab-compose.jar"


class _Jvm(Runtime):
    server = ""
    abilities = ALL_STEPS | {
        *("inside", "alone", "query", "get", "store", "allocate", "pool", "places", "heap", "together"),
    }
    request_cpu_ms = 0.9
    makes_kib_per_ms = 12_000
    has_threads = True
    warms_up = True
    # The JVM uses SIGUSR2 itself.
    ask_signal = signal.SIGWINCH

    @classmethod
    def missing(cls, jdk: int = 0, server: str | None = None) -> list[str]:
        found = [] if 17 in java.homes() else ["JDK 17"]
        if not (_SOURCES / "target" / _JAR).is_file() and not find_program("mvn"):
            found.append("Maven")
        return found

    @classmethod
    def build(cls) -> None:
        java.build(_SOURCES, _JAR)

    def prepare(self) -> None:
        self.place.settings["server"] = self.server
        super().prepare()

    def command(self) -> list[str]:
        target = _SOURCES / "target"
        return [
            str(java.home(17) / "bin" / "java"),
            *(f"-Xmx{self.place.settings.get('heap_mib') or 256}m", f"-Djava.io.tmpdir={self.place.directory}"),
            *("-cp", f"{target / _JAR}:{target}/lib/*", "desk.Main", str(self.configuration)),
        ]


class JvmOwn(_Jvm):
    """com.sun.net.httpserver with a fixed pool."""

    id = "jvm-jdk"
    server = "jdk"


class JvmTomcat(_Jvm):
    """Embedded Tomcat 11."""

    id = "jvm-tomcat"
    server = "tomcat"


class JvmJetty(_Jvm):
    """Embedded Jetty 12."""

    id = "jvm-jetty"
    server = "jetty"


class JvmUndertow(_Jvm):
    """Undertow 2, with its worker threads."""

    id = "jvm-undertow"
    server = "undertow"


_LOOP_STEPS = ALL_STEPS | {"inside", "alone", "query", "get", "store", "allocate", "pool", "heap", "together"}


class JvmVertx(_Jvm):
    """Vert.x 5: one verticle, on one event loop."""

    id = "jvm-vertx"
    server = "vertx"
    abilities = _LOOP_STEPS | {"block"}
    has_threads = False
    cores = 1


class JvmWebFlux(_Jvm):
    """Spring WebFlux 7 on Reactor Netty, with as many event loops as that takes."""

    id = "jvm-webflux"
    server = "webflux"
    abilities = _LOOP_STEPS
    has_threads = False
