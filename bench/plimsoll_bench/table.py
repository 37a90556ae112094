"""The table of results: rows, verdicts, Markdown."""

from dataclasses import dataclass, field

from .stats import median

HOLDS = "holds"
FAILS = "FAILS"
NO_TARGET = "–"

COLUMNS = ("what", "plimsoll", "beside", "its value", "ratio", "spread", "target", "verdict")


@dataclass(frozen=True)
class Row:
    """One line. The cells are finished text; `verdict` is HOLDS, FAILS or a reason why not."""

    section: str
    what: str
    plimsoll: str = NO_TARGET
    beside: str = NO_TARGET
    its_value: str = NO_TARGET
    ratio: str = NO_TARGET
    spread: str = NO_TARGET
    target: str = NO_TARGET
    verdict: str = NO_TARGET

    def cells(self) -> tuple[str, ...]:
        return (self.what, self.plimsoll, self.beside, self.its_value, self.ratio,
                self.spread, self.target, self.verdict)


def judge(value: float | None, limit: float) -> str:
    """HOLDS if value ≤ limit; a value that was not measured holds nothing."""
    if value is None:
        return "not measured"
    return HOLDS if value <= limit else FAILS


@dataclass
class Table:
    """Rows in the order they were measured, and remarks for below."""

    rows: list[Row] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def add(self, row: Row) -> None:
        self.rows.append(row)

    def remark(self, text: str) -> None:
        """A line below the table, once."""
        if text not in self.remarks:
            self.remarks.append(text)

    def add_ratio(self, section: str, what: str, pairs, unit: str, limit: float | None = None,
                  limit_text: str = "", digits: int = 2) -> None:
        """The row of interleaved pairs: medians, the median of the ratios, their spread."""
        ratio = pairs.ratio()
        target, verdict = NO_TARGET, NO_TARGET
        if limit is not None:
            target = limit_text or f"≤ {limit:g} ×"
            verdict = judge(ratio.median if ratio else None, limit)
            if pairs.problem.get("plimsoll", "not built") != "not built":
                verdict = FAILS
        for name, why in pairs.problem.items():
            if why not in ("not built", "missing"):
                self.remark(f"{what}: {why}")

        def cell(values: list[float], name: str) -> str:
            if values:
                return f"{median(values):.{digits}f} {unit}"
            why = pairs.problem.get(name, "")
            return why if why in ("not built", "missing") else "failed"

        self.add(Row(
            section=section, what=what,
            plimsoll=cell(pairs.subject_values, "plimsoll"),
            beside=pairs.peer,
            its_value=cell(pairs.peer_values, pairs.peer),
            ratio=f"{ratio.median:.3f}" if ratio else NO_TARGET,
            spread=f"{ratio.text(3)}; {ratio.count} pairs" if ratio else NO_TARGET,
            target=target, verdict=verdict,
        ))

    def missed(self) -> list[Row]:
        """Rows whose target was measured and missed."""
        return [row for row in self.rows if row.verdict.startswith(FAILS)]

    def markdown(self) -> str:
        """The rows as one Markdown table for each section."""
        lines: list[str] = []
        section = None
        for row in self.rows:
            if row.section != section:
                section = row.section
                lines += ["", f"## {section}", "", "| " + " | ".join(COLUMNS) + " |",
                          "|" + " --- |" * len(COLUMNS)]
            lines.append("| " + " | ".join(c.replace("|", "\\|") for c in row.cells()) + " |")
        if self.remarks:
            lines += ["", "## Remarks", ""] + [f"- {remark}" for remark in self.remarks]
        return "\n".join(lines).strip() + "\n"
