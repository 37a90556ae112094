#!/usr/bin/env python3
"""What the companion is made of: deploy/packages/companion_bill.py LIB FOLDER

Writes FOLDER/companion-sbom.cdx.json (CycloneDX 1.5) and FOLDER/COMPANION-LICENSES.txt, of the jars in LIB, by their
POMs in Maven's local repository (~/.m2, or MAVEN_REPOSITORY). Jars are handed out as their makers made them, with the
texts that they hold; these are told, too. Exit code 1 if a jar's licence is not known or is none of those that let it
be handed out beside a program under Apache-2.0.
"""

import datetime
import hashlib
import json
import os
import re
import sys
import uuid
import zipfile
from pathlib import Path
from xml.etree import ElementTree

REPOSITORY = Path(os.environ.get("MAVEN_REPOSITORY", Path.home() / ".m2/repository"))
# Jars whose POMs name no licence, by what their makers say.
NAMED = {
    "oro:oro": "Apache-1.1",
    "xalan:serializer": "Apache-2.0",
    "xalan:xalan": "Apache-2.0",
    "org.xmlresolver:xmlresolver": "Apache-2.0",
}
# A POM's words for its licence, each beside SPDX' name.
WORDS = [
    (r"apache.*(1\.1)", "Apache-1.1"),
    (r"apache", "Apache-2.0"),
    (r"bsd.*2|2.*clause", "BSD-2-Clause"),
    (r"bsd", "BSD-3-Clause"),
    (r"mit-0", "MIT-0"),
    (r"\bmit\b", "MIT"),
    (r"mozilla|mpl", "MPL-2.0"),
    (r"cddl", "CDDL-1.0"),
    (r"lgpl|lesser", "LGPL-2.1-or-later"),
    (r"eclipse.*1", "EPL-1.0"),
    (r"tidy", "HTMLTIDY"),
    (r"indiana", "LicenseRef-Indiana"),
    (r"sax|w3c", "W3C"),
    (r"public domain", "LicenseRef-PublicDomain"),
]
TEXTS = re.compile(r"^(META-INF/)?(licen[cs]e|notice|copying)[^/]*$", re.IGNORECASE)


def field(element: ElementTree.Element, name: str) -> str:
    found = element.find("{*}" + name)
    return (found.text or "").strip() if found is not None else ""


def pom_of(group: str, artifact: str, version: str) -> Path:
    return REPOSITORY / group.replace(".", "/") / artifact / version / f"{artifact}-{version}.pom"


def licences(pom: Path, depth: int = 0) -> list[str]:
    """The names of a POM's licences, else of its parent's."""
    if depth > 8 or not pom.exists():
        return []
    root = ElementTree.parse(pom).getroot()
    own = [field(one, "name") or field(one, "url") for one in root.findall("{*}licenses/{*}license")]
    parent = root.find("{*}parent")
    if own or parent is None:
        return own
    above = pom_of(field(parent, "groupId"), field(parent, "artifactId"), field(parent, "version"))
    return licences(above, depth + 1)


def spdx(words: str) -> str | None:
    return next((name for pattern, name in WORDS if re.search(pattern, words, re.IGNORECASE)), None)


def jar_of(path: Path, known: dict[str, Path]) -> dict:
    """Coordinates, licence and texts of a jar."""
    place = known.get(path.name)
    if place is None:
        raise SystemExit(f"companion_bill.py: {path.name} is not in {REPOSITORY}")
    version, artifact = place.parent.name, place.parent.parent.name
    group = ".".join(place.parent.parent.parent.relative_to(REPOSITORY).parts)
    named = NAMED.get(f"{group}:{artifact}")
    words = [named] if named else licences(pom_of(group, artifact, version))
    # Of several one may be chosen (CDDL or GPL).
    ids = sorted({name for one in words if (name := spdx(one))})
    if not ids:
        raise SystemExit(f"companion_bill.py: {path.name}: the licence is not known: {words}")
    with zipfile.ZipFile(path) as jar:
        names = sorted(name for name in jar.namelist() if TEXTS.match(name))
        texts = [jar.read(name).decode("utf-8", "replace").replace("\r\n", "\n").strip() for name in names]
    return {
        "group": group, "name": artifact, "version": version, "licence": " OR ".join(ids), "texts": texts,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
    }


def bill(jars: list[dict], stamp: str) -> str:
    parts = [
        {
            "type": "library", "group": jar["group"], "name": jar["name"], "version": jar["version"],
            "purl": f"pkg:maven/{jar['group']}/{jar['name']}@{jar['version']}",
            "hashes": [{"alg": "SHA-256", "content": jar["sha256"]}],
            "licenses": [{"expression": jar["licence"]}],
        }
        for jar in jars
    ]
    serial = uuid.uuid5(uuid.NAMESPACE_URL, "".join(jar["sha256"] for jar in jars))
    document = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "serialNumber": f"urn:uuid:{serial}", "version": 1,
        "metadata": {"timestamp": stamp, "component": {"type": "application", "name": "plimsoll-companion"}},
        "components": parts,
    }
    return json.dumps(document, indent=1) + "\n"


def texts_of(jars: list[dict]) -> str:
    lines = ["Jars of the companion, each as its maker made it, and their licences.", ""]
    lines += [f"{jar['group']}:{jar['name']} {jar['version']}: {jar['licence']}" for jar in jars]
    whose: dict[str, list[str]] = {}
    for jar in jars:
        for text in jar["texts"]:
            whose.setdefault(text, []).append(f"{jar['name']} {jar['version']}")
    for text, names in whose.items():
        lines += ["", "=" * 100, ", ".join(names), "-" * 100, text]
    return "\n".join(lines) + "\n"


def main() -> int:
    folder, to = Path(sys.argv[1]), Path(sys.argv[2])
    to.mkdir(parents=True, exist_ok=True)
    known = {path.name: path for path in REPOSITORY.rglob("*.jar")}
    jars = [jar_of(path, known) for path in sorted(folder.glob("*.jar"))]
    jars.sort(key=lambda jar: (jar["group"], jar["name"], jar["version"]))
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    stamp = datetime.datetime.fromtimestamp(seconds, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    (to / "companion-sbom.cdx.json").write_text(bill(jars, stamp))
    (to / "COMPANION-LICENSES.txt").write_text(texts_of(jars))
    print(f"{len(jars)} jars of the companion")
    return 0


if __name__ == "__main__":
    sys.exit(main())
