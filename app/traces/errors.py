"""Why a trace, or one of its rows, cannot be used."""

from pathlib import Path


class TraceError(ValueError):
    """A trace file that cannot be replayed.

    Attributes:
        path: the file.
        line: from 1, or None when it is about the whole file.
        field: the column or key, or None.
        problem: what is wrong.
        remedy: what to do about it.
    """

    def __init__(
        self,
        path: Path,
        problem: str,
        remedy: str,
        *,
        line: int | None = None,
        field: str | None = None,
    ) -> None:
        super().__init__(f"{place(path, line, field)}: {problem}; {remedy}")
        self.path = path
        self.line = line
        self.field = field
        self.problem = problem
        self.remedy = remedy


class RowProblem(ValueError):
    """One row that cannot be a request; it is counted, named and left out.

    Attributes:
        reason: short kebab-case name that rows are counted under.
        field: the column or key; "row" when it is about all of it.
        problem: what is wrong, with the value.
    """

    def __init__(self, reason: str, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.reason = reason
        self.field = field
        self.problem = problem


def place(path: Path, line: int | None, field: str | None, counted: str = "line") -> str:
    """`file:line: field`, as far as known; `file request 3` where no lines are counted."""
    where = path.name
    if line is not None:
        where += f":{line}" if counted == "line" else f" {counted} {line}"
    return where if field is None else f"{where}: {field}"


def excerpt(value: object, width: int = 40) -> str:
    """A value from a file, printable and short."""
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else repr(value)
    text = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )
    return text if len(text) <= width else text[: width - 1] + "…"
