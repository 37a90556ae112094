#!/usr/bin/env python3
"""Measures the house: tools/house.py [--check]

Prints, for each crate, its files and lines of code (without comments, blank lines and tests), and for all:
circles between files, type names that occur more than once, files over 500 lines, functions over 60.
With --check it fails (exit code 1) if there is a circle that tools/house.known does not name, or one that it
names has gone: then the line is to be taken out.

An arrow goes from a file to each file of its crate that it names by a path (crate::, super::, self::, or what it
has imported), outside of tests. What a module only hands on (pub use) leads to the file that defines it; `mod` is
no arrow.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KNOWN = ROOT / "tools" / "house.known"
LONG_FILE = 500
LONG_FUNCTION = 60

WORD = r"[A-Za-z_][A-Za-z0-9_]*"


def without_comments_and_strings(text: str) -> str:
    """The code with comments and what strings hold blanked, line for line."""

    def blank(match: re.Match) -> str:
        found = match.group(0)
        return "\n" * found.count("\n") if found.startswith("/") else '""' + "\n" * found.count("\n")

    kinds = (
        r"//[^\n]*|/\*.*?\*/",
        r'b?r(#+)".*?"\1|b?r"[^"]*"|b?"(?:\\.|[^"\\])*"',
        r"b?'(?:\\.[^']*|[^'\\\n])'",
    )
    return re.sub("|".join(kinds), blank, text, flags=re.DOTALL)


def end_of_braces(code: str, at: int) -> int:
    """Behind the brace that closes the first one from a place on."""
    depth = 0
    for place in range(code.index("{", at), len(code)):
        depth += {"{": 1, "}": -1}.get(code[place], 0)
        if depth == 0:
            return place + 1
    return len(code)


def without_tests(code: str) -> str:
    """The code without modules and functions that only tests have."""
    while match := re.search(r"#\[cfg\(test\)\](?:\s*#\[[^\]]*\])*\s*(?:pub(?:\([^)]*\))?\s+)?(mod|fn|impl|use)\b[^;{]*[;{]", code):
        end = match.end() if match.group(0).endswith(";") else end_of_braces(code, match.start())
        code = code[: match.start()] + "\n" * code.count("\n", match.start(), end) + code[end:]
    return code


class RustFile:
    """One source file: its module, its code, what it defines."""

    def __init__(self, path: Path, crate: Path):
        self.path = path
        self.name = str(path.relative_to(ROOT))
        parts = list(path.relative_to(crate / "src").with_suffix("").parts)
        if parts[-1] in ("mod", "lib", "main"):
            parts.pop()
        self.module = tuple(parts)
        text = path.read_text()
        plain = without_comments_and_strings(text)
        declared = re.findall(rf"#\[cfg\(test\)\]\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+({WORD})\s*;", plain)
        self.test_modules = [(*self.module, name) for name in declared]
        self.code = without_tests(plain)
        self.lines = sum(1 for line in self.code.splitlines() if line.strip())
        self.all_lines = text.count("\n")
        self.types = re.findall(rf"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait|union)\s+({WORD})", self.code, re.M)
        kinds = "struct|enum|trait|union|fn|const|static|type|macro_rules!"
        self.children = re.findall(rf"\bmod\s+({WORD})\s*;", self.code)
        self.defines = set(re.findall(rf"\b(?:{kinds})\s+({WORD})", self.code))

    def long_functions(self) -> list[tuple[str, int]]:
        found = []
        for match in re.finditer(rf"\bfn\s+({WORD})[^;{{]*\{{", self.code):
            lines = self.code.count("\n", match.start(), end_of_braces(self.code, match.start()))
            if lines > LONG_FUNCTION:
                found.append((match.group(1), lines))
        return found

    def paths(self) -> list[tuple[tuple[str, ...], bool, bool]]:
        """The paths into its own crate, from the crate's root; whether each is handed on, and whether it is used."""
        found, imported = [], {}
        rest = re.sub(r"\b(?:pub(?:\([^)]*\))?\s+)?use\s+[^;]+;", "", self.code)
        words = set(re.findall(WORD, re.sub(rf"\bmod\s+{WORD}\s*;", "", rest)))
        for statement in re.finditer(r"\b(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", self.code):
            for path in spread(statement.group(2)):
                if whole := self.from_root(path):
                    handed = bool(statement.group(1))
                    found.append((whole, handed, not handed or whole[-1] in words))
                    if whole[-1] != "*":
                        imported[whole[-1]] = whole
        begins = "|".join(["crate", "super", "self", *self.children, *imported])
        for match in re.findall(rf"(?<!:)\b(?:{begins})(?:::{WORD})+", rest):
            head, *more = match.split("::")
            whole = (*imported[head], *more) if head in imported else self.from_root((head, *more))
            if whole:
                found.append((whole, False, True))
        return found

    def from_root(self, path: tuple[str, ...]) -> tuple[str, ...] | None:
        place = list(self.module)
        if path[0] == "crate":
            place, path = [], path[1:]
        elif path[0] in ("super", "self"):
            while path and path[0] in ("super", "self"):
                if path[0] == "super":
                    place = place[:-1]
                path = path[1:]
        elif path[0] not in self.children:
            return None
        return (*place, *path)


def spread(tree: str) -> list[tuple[str, ...]]:
    """The paths of a `use` tree."""
    tree = re.sub(rf"\s+as\s+{WORD}", "", tree).strip()
    if "{" not in tree:
        return [tuple(part.strip() for part in tree.split("::"))]
    head, inner = tree.split("{", 1)
    inner = inner[: inner.rindex("}")]
    start = tuple(part.strip() for part in head.split("::") if part.strip())
    parts, depth, one = [], 0, ""
    for char in inner:
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(one)
            one = ""
        else:
            one += char
    parts.append(one)
    return [(*start, *(p for p in rest if p != "self")) for part in parts if part.strip() for rest in spread(part)]


def arrows_of(files: list[RustFile]) -> dict[str, set[str]]:
    """Who names whom, within one crate."""
    by_module = {file.module: file for file in files}
    handed_on: dict[tuple[str, ...], dict[str, tuple[str, ...]]] = defaultdict(dict)
    for file in files:
        for path, handed, _ in file.paths():
            if handed and path:
                handed_on[file.module][path[-1]] = path

    def target(path: tuple[str, ...], depth: int = 0) -> RustFile | None:
        for length in range(len(path), -1, -1):
            if (file := by_module.get(path[:length])) is None:
                continue
            rest = path[length:]
            if rest and rest[0] not in file.defines and depth < 8:
                given = handed_on[file.module].get(rest[0])
                if given and given != path[: length + 1]:
                    return target((*given, *rest[1:]), depth + 1)
            return file
        return None

    arrows: dict[str, set[str]] = {file.name: set() for file in files}
    for file in files:
        for path, _, used in file.paths():
            found = target(path)
            if found and found is not file and used:
                arrows[file.name].add(found.name)
    return arrows


def circles_of(arrows: dict[str, set[str]]) -> list[list[str]]:
    """The sets of files that reach each other (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(file: str) -> None:
        index[file] = low[file] = len(index)
        stack.append(file)
        for other in sorted(arrows[file]):
            if other not in index:
                visit(other)
                low[file] = min(low[file], low[other])
            elif other in stack:
                low[file] = min(low[file], index[other])
        if low[file] == index[file]:
            circle = []
            while not circle or circle[-1] != file:
                circle.append(stack.pop())
            if len(circle) > 1:
                found.append(sorted(circle))

    sys.setrecursionlimit(10_000)
    for file in sorted(arrows):
        if file not in index:
            visit(file)
    return sorted(found)


def main() -> int:
    crates = sorted(path.parent for path in (ROOT / "crates").glob("*/Cargo.toml"))
    types: dict[str, int] = defaultdict(int)
    circles, long_files, long_functions, total = [], [], [], 0
    for crate in crates:
        files = [RustFile(path, crate) for path in sorted((crate / "src").rglob("*.rs")) if not is_test(path)]
        of_tests = {module for file in files for module in file.test_modules}
        files = [file for file in files if not any(file.module[: len(it)] == it for it in of_tests)]
        circles += circles_of(arrows_of(files))
        lines = sum(file.lines for file in files)
        total += lines
        print(f"{crate.name:10} {len(files):4} files {lines:6} lines")
        for file in files:
            long_functions += [(count, f"{file.name} {name}") for name, count in file.long_functions()]
            long_files += [(file.all_lines, file.name)] * (file.all_lines > LONG_FILE)
            for name in file.types:
                types[name] += 1
    twice = {name: count for name, count in types.items() if count > 1}
    print(f"{'all':10} {total:17} lines")
    print(f"circles: {len(circles)}, of {sum(map(len, circles))} files, the largest of {max(map(len, circles), default=0)}")
    print(f"type names: {len(types)}, more than once: {len(twice)}")
    for title, found in (("files over 500 lines", long_files), ("functions over 60 lines", long_functions)):
        print(f"{title}: {len(found)}")
        for count, name in sorted(found, reverse=True):
            print(f"  {count:4} {name}")
    return checked(circles) if "--check" in sys.argv else 0


def is_test(path: Path) -> bool:
    return path.stem in ("tests", "testing") or "tests" in path.parts[-4:-1]


def checked(circles: list[list[str]]) -> int:
    """Holds the circles against those that are known, each named by its files, a line each."""
    known = {line for line in KNOWN.read_text().splitlines() if line and not line.startswith("#")}
    there = {" ".join(circle) for circle in circles}
    for circle in sorted(there - known):
        print(f"error: a circle that was not there: {circle}")
    for circle in sorted(known - there):
        print(f"error: this circle has gone or changed; mend tools/house.known: {circle}")
    return 1 if there != known else 0


if __name__ == "__main__":
    sys.exit(main())
