"""Which free space a feature pool has: how it merges, and which range it cuts."""

from typing import Literal, get_args

from pools.errors import InvalidSize
from pools.structures.first_fit_space import FirstFitSpace
from pools.structures.free_ranges import FreeSpace, MergeMode

#: best: the smallest range that is large enough, as upstream; first: the lowest
FitMode = Literal["best", "first"]


def open_space(
    begin: int, end: int, fit: FitMode = "best", merge: MergeMode = "deferred"
) -> FreeSpace | FirstFitSpace:
    """Everything in [begin, end) free.

    Raises:
        InvalidSize: a choice that is not there.
    """
    for name, value, choices in (
        ("fit", fit, get_args(FitMode)),
        ("merge", merge, get_args(MergeMode)),
    ):
        if value not in choices:
            raise InvalidSize(f"{name} {value!r}: use {' or '.join(choices)}")
    return (FirstFitSpace if fit == "first" else FreeSpace)(begin, end, merge=merge)
