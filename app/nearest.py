"""What a mistyped name was probably meant to be."""

import difflib
from collections.abc import Iterable


def nearest(name: str, choices: Iterable[str]) -> str | None:
    """The choice that `name` was probably meant to be, or None when nothing is close."""
    close = difflib.get_close_matches(name, list(choices), n=1, cutoff=0.5)
    return close[0] if close else None


def did_you_mean(name: str, choices: Iterable[str]) -> str:
    """The tail of an error: `; did you mean 'X'?`, or what there is when nothing is close."""
    known = list(choices)
    close = nearest(name, known)
    if close:
        return f"; did you mean {close!r}?"
    return f"; there are: {', '.join(known)}" if known else "; there are none yet"
