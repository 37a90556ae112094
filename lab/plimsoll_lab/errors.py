"""What goes wrong in a way a person can mend."""


class LabError(Exception):
    """Says what is wrong, where, and what to do; shown without a traceback."""


class BadCase(LabError):
    """A case file with mistakes; each is a line `file:key: what is wrong`."""

    def __init__(self, problems: list[str]):
        super().__init__("\n".join(problems))
        self.problems = problems
