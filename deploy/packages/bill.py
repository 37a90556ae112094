#!/usr/bin/env python3
"""What the binary is made of: deploy/packages/bill.py TARGET FOLDER

Writes FOLDER/sbom.cdx.json (CycloneDX 1.5) and FOLDER/THIRD-PARTY-LICENSES.txt, of the crates that are
compiled into the program for that target, by cargo's own metadata. Both are the same bytes for the same
Cargo.lock and SOURCE_DATE_EPOCH. Exit code 1 if a licence is none of those that may be distributed with it.
A script and no tool of cargo's, since those that there are write texts that differ by machine and day, or
know nothing of the C code within crates.
"""

import datetime
import hashlib
import json
import os
import re
import subprocess
import sys
import tomllib
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# What may be part of a program under Apache-2.0.
ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "CDLA-Permissive-2.0", "ISC", "MIT", "MIT-0", "MPL-2.0", "Unicode-3.0", "Unicode-DFS-2016", "Unlicense", "Zlib",
}
# C code within crates: the crate, what it brings, where its version stands, its licence.
BUNDLED = [
    ("libsqlite3-sys", "sqlite", "sqlite3/sqlite3.h", r'#define SQLITE_VERSION\s+"([0-9.]+)"', "blessing"),
    ("libmimalloc-sys", "mimalloc", "c_src/mimalloc/v3/include/mimalloc.h",
     r"#define MI_MALLOC_VERSION\s+(\d)(\d\d)(\d\d)\b", "MIT"),
    # Of no version: its authors take it over day by day.
    ("ring", "boringssl", "LICENSE-BoringSSL", r"(?!)", "ISC"),
    ("rquickjs-sys", "quickjs-ng", "quickjs/quickjs.h", r"#define QJS_VERSION_(?:MAJOR|MINOR|PATCH)\s+(\d+)", "MIT"),
]
# Crates with C code that is not compiled into ours: of a feature that is off, or of their authors' own tools.
NOT_COMPILED = {"brotli-decompressor", "signal-hook"}
SOURCES = {".c", ".cc", ".cpp", ".S"}
TEXTS = re.compile(r"^(licen[cs]e|copying|notice|unlicense|copyright)", re.IGNORECASE)


def metadata(target: str) -> dict:
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout)


def compiled(data: dict) -> tuple[dict, dict, str]:
    """The packages that end up in the program, what each needs, and the program's id."""
    packages = {package["id"]: package for package in data["packages"]}
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    start = next(key for key, package in packages.items() if package["name"] == "plimsoll-cli")
    needs: dict[str, list[str]] = {}
    waiting = [start]
    while waiting:
        key = waiting.pop()
        if key in needs:
            continue
        normal = [
            dep["pkg"] for dep in nodes[key]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"])
        ]
        # Macros run while it is compiled, and are no part of it.
        is_macro = lambda key: any("proc-macro" in one["kind"] for one in packages[key]["targets"])
        needs[key] = sorted(dep for dep in normal if not is_macro(dep))
        waiting.extend(needs[key])
    return {key: packages[key] for key in needs}, needs, start


def is_allowed(expression: str) -> bool:
    """Whether an SPDX expression leaves a choice that may be distributed."""
    text = expression.replace("/", " OR ")
    words = re.findall(r"\(|\)|[^\s()]+", text)
    joined: list[str] = []
    for word in words:
        if word == "WITH" or (joined and joined[-1].endswith(" WITH")):
            joined[-1] += " " + word
        else:
            joined.append(word)
    code = " ".join(
        {"OR": "or", "AND": "and", "(": "(", ")": ")"}.get(word, str(word in ALLOWED)) for word in joined
    )
    return bool(re.fullmatch(r"[()\sTrueFalsandor]+", code)) and eval(code)  # noqa: S307 - of these words alone


def has_unknown_code(package: dict) -> bool:
    """Whether a crate brings C code of which nothing is said here."""
    if package["source"] is None or package["name"] in {crate for crate, *_ in BUNDLED} | NOT_COMPILED:
        return False
    folder = Path(package["manifest_path"]).parent
    sources = (path.relative_to(folder) for path in folder.rglob("*") if path.suffix in SOURCES)
    return any(not path.parts[0].startswith("test") for path in sources)


def reference(package: dict) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package: dict, checksums: dict) -> dict:
    is_own = package["source"] is None
    one = {
        "type": "library",
        "bom-ref": reference(package),
        "name": package["name"],
        "version": package["version"],
        "licenses": [{"expression": (package["license"] or "NOASSERTION").replace("/", " OR ")}],
    }
    if not is_own:
        one["purl"] = reference(package)
        checksum = checksums.get((package["name"], package["version"]))
        if checksum:
            one["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if package["repository"]:
        one["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    bundled = [found for found in (within(package, *rest) for crate, *rest in BUNDLED if crate == package["name"]) if found]
    if bundled:
        one["components"] = bundled
    return one


def within(package: dict, name: str, file: str, pattern: str, licence: str) -> dict | None:
    """The C code of a crate."""
    path = Path(package["manifest_path"]).parent / file
    if not path.is_file():
        return None
    found = re.findall(pattern, path.read_text(errors="replace"))
    # One part a match, or all in one.
    parts = [str(int(part)) for part in found[0]] if found and isinstance(found[0], tuple) else found
    version = ".".join(parts) or "unknown"
    return {
        "type": "library",
        "bom-ref": f"pkg:generic/{name}@{version}",
        "name": name,
        "version": version,
        "licenses": [{"license": {"name" if licence == "blessing" else "id": licence}}],
        "purl": f"pkg:generic/{name}@{version}",
    }


def bill(packages: dict, needs: dict, start: str, checksums: dict, epoch: int) -> dict:
    ordered = sorted(packages.values(), key=lambda one: (one["name"], one["version"]))
    moment = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc)
    content = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {
                "type": "application",
                "bom-ref": "plimsoll",
                "name": "plimsoll",
                "version": packages[start]["version"],
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            },
        },
        "components": [component(package, checksums) for package in ordered if package["id"] != start],
        "dependencies": [
            {
                "ref": "plimsoll" if package["id"] == start else reference(package),
                "dependsOn": [reference(packages[dep]) for dep in needs[package["id"]]],
            }
            for package in ordered
        ],
    }
    text = json.dumps(content, sort_keys=True)
    return content | {"serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, text)}"}


def licences(packages: dict, start: str) -> tuple[str, list[str]]:
    """All licences with their texts, equal texts once; and the crates that bring none."""
    others = sorted(
        (one for one in packages.values() if one["source"] is not None), key=lambda one: (one["name"], one["version"])
    )
    texts: dict[str, list[str]] = {}
    without = []
    lines = [
        f"Plimsoll {packages[start]['version']} is licensed under Apache-2.0. It contains the crates below, with",
        "the licences that their authors give. Texts follow the list.",
        "",
    ]
    for one in others:
        name = f"{one['name']} {one['version']}"
        lines.append(f"{name}: {one['license'] or 'see its text'}")
        folder = Path(one["manifest_path"]).parent
        # C code that a crate brings has its own, further below.
        is_bundled = one["name"] in {crate for crate, *_ in BUNDLED}
        found = folder.rglob("*") if is_bundled else folder.iterdir()
        files = sorted(path for path in found if path.is_file() and TEXTS.match(path.name))
        if not files:
            without.append(f"{name} ({one['license']}): {one['repository'] or 'no address'}")
        for path in files:
            text = "\n".join(line.rstrip() for line in path.read_text(errors="replace").splitlines()).strip()
            texts.setdefault(text, []).append(f"{name} {path.name}")
    lines += ["", "Crates whose packages bring no text of their licence:", ""]
    lines += without or ["none"]
    for text, names in sorted(texts.items(), key=lambda item: item[1]):
        lines += ["", "=" * 78, *names, "-" * 78, text]
    return "\n".join(lines) + "\n", without


def main() -> int:
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    target, folder = sys.argv[1], Path(sys.argv[2])
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    packages, needs, start = compiled(metadata(target))
    lock = tomllib.loads((ROOT / "Cargo.lock").read_text())
    checksums = {(one["name"], one["version"]): one.get("checksum") for one in lock["package"]}
    folder.mkdir(parents=True, exist_ok=True)
    content = bill(packages, needs, start, checksums, epoch)
    (folder / "sbom.cdx.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    text, without = licences(packages, start)
    (folder / "THIRD-PARTY-LICENSES.txt").write_text(text)
    refused = [
        f"{one['name']} {one['version']}: {one['license']}"
        for one in packages.values()
        if one["source"] is not None and not is_allowed(one["license"] or "")
    ]
    refused += [
        f"{one['name']} {one['version']}: it brings C code; name it in BUNDLED, or in NOT_COMPILED"
        for one in packages.values()
        if has_unknown_code(one)
    ]
    own = hashlib.sha256(text.encode()).hexdigest()[:12]
    print(f"{len(packages)} crates, {len(without)} without a text of their licence; texts {own}")
    for line in refused:
        print(f"not to be distributed: {line}", file=sys.stderr)
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
