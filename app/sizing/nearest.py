"""The closest valid name to a mistyped one."""

import difflib
from collections.abc import Iterable


def nearest(name: str, choices: Iterable[str]) -> str | None:
    """The choice that `name` was probably meant to be, or None when nothing is close."""
    close = difflib.get_close_matches(name, list(choices), n=1, cutoff=0.5)
    return close[0] if close else None
