"""What each kind of tier does, and what it is given."""

import http.client
import shutil
import socket
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from .. import network
from ..casefile import Tier
from ..errors import LabError

START_TIMEOUT_S = 300
LOG_LINES = 25


@dataclass
class Place:
    """Where a tier runs and with what; settings have their placeholders filled."""

    directory: Path
    tier: Tier
    settings: dict[str, object]
    host: str
    ports: dict[str, int]
    netns: str | None
    names: dict[str, object]
    generated: Path | None = None
    jvm: list[str] = field(default_factory=list)


class Kind(ABC):
    """A kind of tier. The log is `directory/log` unless it says otherwise."""

    programs: tuple[str, ...] = ()

    def __init__(self, place: Place):
        self.place = place

    @classmethod
    def missing(cls, jdk: int, server: str | None) -> list[str]:
        """What this machine lacks for it, as a person would look for it."""
        del jdk, server
        return [each for each in cls.programs if not find_program(each)]

    @classmethod
    def build(cls) -> None:
        """Builds it, if it is the project's own and its sources are newer."""

    @abstractmethod
    def prepare(self) -> None:
        """Writes what it needs into its folder; called before each start."""

    @abstractmethod
    def command(self) -> list[str]:
        """The process to start."""

    @abstractmethod
    def is_ready(self) -> bool:
        """Whether it serves."""

    def started(self) -> None:
        """Done once when it serves, such as filling in data."""

    def switch_live(self, before: dict[str, object]) -> bool:
        """Takes over `place.settings` without a restart, if it can; `before` were those before."""
        del before
        return False

    def facts(self) -> dict[str, object]:
        """What others may want to know of it."""
        return {}

    def logs(self) -> list[Path]:
        """Where it says what went wrong."""
        return [self.place.directory / "log"]


class Announced(Kind):
    """A kind of tier that says `ready` in its log once it is."""

    def prepare(self) -> None:
        self._log().unlink(missing_ok=True)

    def is_ready(self) -> bool:
        return self._log().is_file() and "ready" in self._log().read_text()

    def _log(self) -> Path:
        return self.place.directory / "log"


def find_program(name: str) -> str | None:
    """The path of a program; also where root's programs are, if PATH has them not."""
    return shutil.which(name) or shutil.which(name, path="/usr/local/sbin:/usr/sbin:/sbin")


def program(name: str) -> str:
    """The path of a program that must be there."""
    found = find_program(name)
    if not found:
        raise LabError(f"{name} is not installed: run tools/setup.sh lab")
    return found


def wait_until_ready(kind: Kind, alive: Callable[[], bool]) -> None:
    """Waits until the tier serves; else says what its log says."""
    end = time.monotonic() + START_TIMEOUT_S
    while alive():
        with network.entered(kind.place.netns):
            if kind.is_ready():
                return
        if time.monotonic() > end:
            raise LabError(f"{_title(kind)} does not serve after {START_TIMEOUT_S} s{_tail(kind)}")
        time.sleep(0.1)
    raise LabError(f"{_title(kind)} ended while it was started{_tail(kind)}")


def _title(kind: Kind) -> str:
    return f"tier '{kind.place.tier.name}' ({kind.place.tier.kind})"


def _tail(kind: Kind) -> str:
    found = ""
    for log in kind.logs():
        if log.is_file():
            lines = log.read_text(errors="replace").splitlines()[-LOG_LINES:]
            found += "".join(f"\n  {log.name}: {line}" for line in lines)
    return found


def answers(host: str, port: int, path: str, timeout_s: float = 2) -> bool:
    """Whether a GET is answered with 2xx or 3xx."""
    status = request(host, port, "GET", path, timeout_s=timeout_s)[0]
    return 200 <= status < 400


def request(
    host: str, port: int, method: str, path: str, body: str | None = None, timeout_s: float = 5
) -> tuple[int, str]:
    """Status and text of an answer; status 0: there was none."""
    connection = http.client.HTTPConnection(host, port, timeout=timeout_s)
    headers = {"Content-Type": "application/json"} if body else {}
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    except (OSError, http.client.HTTPException):
        return 0, ""
    finally:
        connection.close()


def accepts(host: str, port: int) -> bool:
    """Whether a connection is taken."""
    try:
        socket.create_connection((host, port), timeout=1).close()
        return True
    except OSError:
        return False
