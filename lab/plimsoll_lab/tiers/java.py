"""JDKs of the machine."""

import functools
import os
import re
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


def home(release: int) -> Path:
    """The JDK of that release."""
    try:
        return homes()[release]
    except KeyError:
        raise LabError(f"no JDK {release} is installed (looked in JAVA_HOME, "
                       f"{', '.join(_PLACES)})") from None
