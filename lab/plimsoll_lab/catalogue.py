"""Lists of the cases: for people, for programs, for lab/CASES.md."""

from . import casefile, needs
from .casefile import Case
from .errors import BadCase


def entries() -> list[dict[str, object]]:
    """Every case with what it shows and whether it can run here; bad files with their mistakes."""
    found = []
    for path in casefile.files():
        try:
            case = casefile.read(path)
        except BadCase as error:
            found.append({"id": path.stem, "problems": error.problems})
            continue
        found.append(
            {
                "id": case.id,
                "title": case.title,
                "shows": case.shows,
                "control": case.control,
                "provable": case.provable,
                "tiers": [each.kind for each in case.tiers],
                "finding": case.truth["finding"],
                "missing": needs.missing(case),
                "shown": _plain(case),
            }
        )
    return found


def _plain(case: Case) -> dict[str, object]:
    return {
        key: value if isinstance(value, str | int | float | list) else str(value)
        for key, value in case.shown.items()
    }


def table(lang: str) -> str:
    """For a terminal."""
    lines = []
    for entry in entries():
        if "problems" in entry:
            lines += [f"{entry['id']:<18} bad case file:"] + [
                f"  {each}" for each in entry["problems"]
            ]
            continue
        state = "ok" if not entry["missing"] else "missing: " + ", ".join(entry["missing"])
        if not entry["provable"]:
            state += "; not shown on 2 CPUs"
        lines.append(
            f"{entry['id']:<18} {entry['title'][lang]}  [{', '.join(entry['tiers'])}]  {state}"
        )
    return "\n".join(lines)


_HEAD = """\
# Cases of the lab

Made by `lab/plimsoll-lab list --markdown` from the files in `lab/cases`; do not edit. What a case
is, and how to run one: [README.md](README.md). F01 to F30 are faults that practitioners met in the
field; names beginning with `control` are healthy systems that look like a fault.

The figures were measured by `plimsoll-lab prove CASE --record`, faulty and cured in turns, on the
machine that each case names, which others used at the same time: only figures of one row compare.
"""


def markdown() -> str:
    """lab/CASES.md."""
    cases = [casefile.read(path) for path in casefile.files()]
    parts = [
        _HEAD,
        "| case | what | tiers | cure | metric | faulty | cured | cured/faulty | expected |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    parts += [_row(case) for case in cases]
    parts.append("\n## What was seen\n")
    parts += [_details(case) for case in cases]
    return "\n".join(parts).rstrip("\n") + "\n"


def _row(case: Case) -> str:
    shown, expect = case.shown, case.expect
    ranges = []
    if expect:
        ranges = [
            f"{name} {low:g}–{high:g}"
            for name, bounds in (
                ("", expect.cured_over_faulty),
                ("faulty", expect.faulty),
                ("cured", expect.cured),
            )
            if bounds
            for low, high in [bounds]
        ]
    cells = [
        f"[{case.id}](cases/{case.file.name})",
        f"{case.title['en']}<br>{case.title['zh']}",
        " → ".join(_tier(each) for each in reversed(case.tiers)),
        case.truth.get("advice") or "–",
        str(shown.get("metric") or (expect.metric if expect else "–")),
        _numbers(shown.get("faulty")),
        _numbers(shown.get("cured")),
        _numbers(shown.get("cured_over_faulty")),
        "; ".join(each.strip() for each in ranges) or "–",
    ]
    return "| " + " | ".join(each.replace("|", "\\|") for each in cells) + " |"


def _tier(tier: casefile.Tier) -> str:
    return f"{tier.kind} ({tier.server})" if tier.server else tier.kind


def _numbers(values: object) -> str:
    if not isinstance(values, list) or not values:
        return "–"
    return ", ".join(f"{each:g}" for each in values)


def _details(case: Case) -> str:
    shown = case.shown
    lines = [
        f"### {case.id}: {case.title['en']}",
        "",
        f"{case.shows['en']}",
        "",
        f"{case.shows['zh']}",
        "",
    ]
    if not case.provable:
        lines += ["**Not shown on 2 CPUs.**", ""]
    if "date" in shown:
        lines.append(f"- {shown['date']}, seed {shown.get('seed')}, {shown.get('machine')}")
    for key, seen in shown.items():
        if key.endswith("_seen"):
            lines.append(f"- {key.removesuffix('_seen').replace('hop_', 'loaded alone, ')}: {seen}")
    if "note" in shown:
        lines.append(f"- {shown['note']}")
    return "\n".join(lines) + "\n"
