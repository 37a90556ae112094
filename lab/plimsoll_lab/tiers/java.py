"""JDKs of the machine."""

import fcntl
import functools
import os
import re
import subprocess
import sys
from pathlib import Path

from ..errors import LabError

_PLACES = ("/usr/lib/jvm", "/opt/java", "/opt")


def _release(home: Path) -> int | None:
    """The feature release of a JDK's folder, or None if it is none."""
    if not os.access(home / "bin" / "javac", os.X_OK):
        return None
    try:
        found = re.search(r'^JAVA_VERSION="(\d+)', (home / "release").read_text(), re.MULTILINE)
    except OSError:
        return None
    return int(found[1]) if found else None


@functools.cache
def homes() -> dict[int, Path]:
    """Each JDK by its release; JAVA_HOME goes first."""
    candidates = [Path(os.environ["JAVA_HOME"])] if os.environ.get("JAVA_HOME") else []
    candidates += [each for place in _PLACES for each in sorted(Path(place).glob("*"))]
    found: dict[int, Path] = {}
    for home in candidates:
        release = _release(home)
        if release:
            found.setdefault(release, home.resolve())
    return found


def build(folder: Path, jar: str) -> None:
    """Runs Maven in a folder whose sources are newer than the jar; first without the network."""
    made = folder / "target" / jar
    sources = [folder / "pom.xml", *(folder / "src" / "main").rglob("*")]
    (folder / "target").mkdir(exist_ok=True)
    # The same lock as lab/start.sh takes.
    with (folder / "target" / ".build-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        newest = max(each.stat().st_mtime for each in sources if each.is_file())
        if made.is_file() and made.stat().st_mtime >= newest:
            return
        print(f"lab: building {folder.name}", file=sys.stderr, flush=True)
        maven = ["mvn", "-q", "-B", "-DskipTests", "package"]
        try:
            done = subprocess.run([*maven, "-o"], cwd=folder, capture_output=True, check=False)
            if done.returncode:
                done = subprocess.run(maven, cwd=folder, stdout=sys.stderr, check=False)
        except FileNotFoundError:
            raise LabError("no mvn found: run tools/setup.sh lab") from None
        if done.returncode or not made.is_file():
            raise LabError(f"lab/{folder.name} could not be built")
        # Maven leaves an unchanged jar alone; its time must still pass that of the sources.
        made.touch()


def home(release: int) -> Path:
    """The JDK of that release."""
    try:
        return homes()[release]
    except KeyError:
        raise LabError(
            f"no JDK {release} is installed (looked in JAVA_HOME, {', '.join(_PLACES)})"
        ) from None
