"""How the lab builds a pool as some caller does, one file per kind with the constant BUILDER.

A builder takes the case's options by name and gives the pool and the call that takes an amount from
it; None from that call means *not now*. A fixed buffer is no pool: it gives None for one.
"""

import functools
import sys
from collections.abc import Callable

from app.nearest import did_you_mean
from pools.base import Pool, discover

Take = Callable[[int], object]
Builder = Callable[..., tuple[Pool | None, Take]]


@functools.cache
def all_builders() -> dict[str, Builder]:
    """Every builder by the kind of its pool."""
    return discover(sys.modules[__name__], "BUILDER")


def builder(kind: str) -> Builder:
    """One builder.

    Raises:
        ValueError: the lab builds no such pool.
    """
    found = all_builders().get(kind)
    if found is None:
        hint = did_you_mean(kind, all_builders())
        raise ValueError(f"no pool {kind!r} to build{hint}; there are: {', '.join(all_builders())}")
    return found
