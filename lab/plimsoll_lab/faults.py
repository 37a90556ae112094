"""Faults that are code: a template gets the names of the seed and is compiled for the service."""

import hashlib
import re
import subprocess
import zipfile
from pathlib import Path

from . import instance, paths
from .errors import LabError
from .tiers import java


def generate(fault: str, values: dict[str, object], jar: Path, jdk: int, directory: Path) -> Path:
    """Compiles a fault into directory/generated against the jar's classes and libraries."""
    template = (paths.FAULTS / f"{fault}.java.tmpl").read_text(encoding="utf-8")
    source = directory / f"{values['Class']}.java"
    source.write_text(fill(template, values, fault), encoding="utf-8")
    classes = directory / "generated"
    classes.mkdir(exist_ok=True)
    library = _exploded(jar)
    done = subprocess.run(
        [
            str(java.home(jdk) / "bin" / "javac"),
            "-parameters",
            "-proc:none",
            "--release",
            "17",
            "-cp",
            f"{library}/BOOT-INF/classes:{library}/BOOT-INF/lib/*",
            "-d",
            str(classes),
            str(source),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise LabError(f"lab/faults/{fault}.java.tmpl does not compile:\n{done.stderr}")
    return classes


def fill(template: str, values: dict[str, object], fault: str) -> str:
    """The template with its `{{name}}` filled in."""

    def value(found: re.Match) -> str:
        try:
            return str(values[found[1]])
        except KeyError:
            raise LabError(
                f"lab/faults/{fault}.java.tmpl wants '{found[1]}', which the case has not; "
                f"it has: {', '.join(sorted(values))}"
            ) from None

    return re.sub(r"\{\{([A-Za-z_][A-Za-z0-9_]*)\}\}", value, template)


def _exploded(jar: Path) -> Path:
    """The jar unpacked, once for each of its contents."""
    mark = hashlib.sha256(jar.read_bytes()).hexdigest()[:12]
    with instance.cache_lock() as cache:
        made = cache / f"jar-{mark}"
        if not made.is_dir():
            with zipfile.ZipFile(jar) as archive:
                archive.extractall(
                    cache / f"jar-{mark}.new",
                    [each for each in archive.namelist() if each.startswith("BOOT-INF/")],
                )
            (cache / f"jar-{mark}.new").rename(made)
    return made
