"""Flags with lists of values, and the cells that their combinations make. Torch-free."""

import dataclasses
import itertools
from dataclasses import dataclass
from typing import Any

from app.nearest import did_you_mean
from app.sizing.flags import DEFAULTS
from app.sizing.server_args import ServerArgs

MAX_CELLS = 256


class GridError(ValueError):
    """A grid that cannot be run; the text names the flag and what to do."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination: `flags` are those that vary, `server` is all of them."""

    flags: dict[str, Any]
    server: ServerArgs

    @property
    def label(self) -> str:
        """Its flags as one would type them."""
        return " ".join(f"{name} {shown(value)}" for name, value in self.flags.items())


def cells_of(base: ServerArgs, lists: dict[str, list[str]]) -> list[Cell]:
    """Every combination, the last flag varying fastest.

    Args:
        base: what stays the same.
        lists: flag, as typed, to its values, as typed.

    Raises:
        GridError: an unknown flag, a value that is no such number, or too many cells.
    """
    axes = [
        [(flag, parsed(flag, text)) for text in dict.fromkeys(texts)]
        for flag, texts in lists.items()
    ]
    count = 1
    for axis in axes:
        count *= len(axis)
    if count > MAX_CELLS:
        raise GridError(f"{count:,} cells are too many: at most {MAX_CELLS} at once")
    made = []
    for combination in itertools.product(*axes):
        flags = dict(combination)
        changes = {field_of(flag): value for flag, value in flags.items()}
        made.append(Cell(flags, dataclasses.replace(base, **changes)))
    return made


def parsed(flag: str, text: str) -> Any:  # noqa: ANN401 - of the field's own type
    """One value of a flag, of the type that its default has.

    Raises:
        GridError: the flag is none of the server's, or the value does not fit it.
    """
    names = {"--" + f.name.replace("_", "-"): f.name for f in dataclasses.fields(ServerArgs)}
    if flag not in names:
        raise GridError(f"{flag} is no server flag{did_you_mean(flag, names)}")
    default = getattr(DEFAULTS, names[flag])
    try:
        if isinstance(default, bool):
            return {"true": True, "false": False}[text.lower()]
        if isinstance(default, float):
            return float(text)
        if isinstance(default, str):
            return text
        return None if text in ("auto", "none") else int(text)
    except (KeyError, ValueError) as error:
        kind = "true or false" if isinstance(default, bool) else "a number"
        raise GridError(f"{flag} {text!r}: give {kind}") from error


def field_of(flag: str) -> str:
    """The field of `ServerArgs` behind a flag."""
    return flag.removeprefix("--").replace("-", "_")


def shown(value: object) -> str:
    """A value as one would type it."""
    return (
        "auto" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    )
