"""Reads tables of a TOML file strictly: each mistake is noted as `file:key: what is wrong`."""

from collections.abc import Iterable


class Table:
    """One table; what was not asked for when `done` is called is a mistake."""

    def __init__(self, data: object, where: str, problems: list[str]):
        self.where = where
        self.problems = problems
        self.data = data if isinstance(data, dict) else {}
        if not isinstance(data, dict):
            self.problem("", "must be a table")
        self.asked: set[str] = set()

    def place(self, key: str) -> str:
        """`file:table.key`."""
        if not key:
            return self.where
        return f"{self.where}{'' if self.where.endswith(':') else '.'}{key}"

    def problem(self, key: str, what: str) -> None:
        """Notes a mistake at the key."""
        self.problems.append(f"{self.place(key)}: {what}")

    def get(self, key: str, default: object = None) -> object:
        """The value as it stands."""
        self.asked.add(key)
        return self.data.get(key, default)

    def text(
        self,
        key: str,
        default: str | None = None,
        choices: Iterable[str] = (),
        required: bool = False,
    ) -> str | None:
        """A text, one of the choices if there are any."""
        value = self.get(key)
        if value is None:
            if required:
                self.problem(key, "is missing" + _of(choices))
            return default
        if not isinstance(value, str) or not value:
            self.problem(key, f"must be a text, not {value!r}")
        elif choices and value not in choices:
            self.problem(key, f"{value!r} is not known{_of(choices)}")
        else:
            return value
        return default

    def number(
        self,
        key: str,
        default: float | None = None,
        low: float = 0,
        high: float = 1e9,
        required: bool = False,
    ) -> object:
        """A number within bounds, or a text with placeholders that becomes one."""
        value = self.get(key)
        if value is None:
            if required:
                self.problem(key, "is missing: a number is wanted")
            return default
        if isinstance(value, str) and "{" in value:
            return value
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.problem(key, f"must be a number, not {value!r}")
        elif not low <= value <= high:
            self.problem(key, f"is {value:g}, but must be from {low:g} to {high:g}")
        else:
            return value
        return default

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        value = self.get(key, default)
        if not isinstance(value, bool):
            self.problem(key, f"must be true or false, not {value!r}")
            return default
        return value

    def texts(self, key: str, choices: Iterable[str] = ()) -> list[str]:
        """A list of texts."""
        value = self.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            self.problem(key, f"must be a list of texts, not {value!r}")
            return []
        for each in value:
            if choices and each not in choices:
                self.problem(key, f"{each!r} is not known{_of(choices)}")
        return value

    def cpus(self, key: str) -> list[int]:
        """A list of CPU numbers, counted among those allowed."""
        value = self.get(key, [])
        if not isinstance(value, list) or not all(
            type(each) is int and each >= 0 for each in value
        ):
            self.problem(key, f"must be a list of CPU numbers from 0, not {value!r}")
            return []
        return value

    def range(self, key: str) -> tuple[float, float] | None:
        """Two numbers, the lower first."""
        value = self.get(key)
        if value is None:
            return None
        numbers = isinstance(value, list) and all(
            isinstance(each, int | float) and not isinstance(each, bool) for each in value
        )
        if not numbers or len(value) != 2 or value[0] > value[1]:
            self.problem(key, f"must be two numbers, the lower first, not {value!r}")
            return None
        return (value[0], value[1])

    def table(self, key: str) -> "Table":
        """A table in this one; empty if it is absent."""
        return Table(self.get(key, {}), self.place(key), self.problems)

    def tables(self, key: str) -> list["Table"]:
        """A list of tables."""
        value = self.get(key, [])
        if not isinstance(value, list):
            self.problem(key, f"must be a list of tables: write [[{key}]]")
            return []
        return [
            Table(each, self.place(f"{key}[{index}]"), self.problems)
            for index, each in enumerate(value)
        ]

    def done(self) -> None:
        """Every key left is a mistake."""
        for key in self.data:
            if key not in self.asked:
                self.problem(key, f"is not known{_of(sorted(self.asked))}")


def _of(choices: Iterable[str]) -> str:
    choices = list(choices)
    return f"; allowed: {', '.join(choices)}" if choices else ""
