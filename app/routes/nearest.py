"""The "did you mean" part of an error."""

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """A tail such as `; did you mean X?`, or the list of what there is when nothing is close."""
    choices = list(known)
    close = difflib.get_close_matches(name, choices, n=1, cutoff=0.5)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; there are: {', '.join(choices)}" if choices else "; there are none yet"
