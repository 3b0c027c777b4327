"""Conditions by name, one file each with the constant CONDITION."""

import functools
import sys

from app.engine.condition import Condition
from app.nearest import did_you_mean
from pools.base import discover


@functools.cache
def all_conditions() -> dict[str, Condition]:
    """Every condition by its name."""
    found = discover(sys.modules[__name__], "CONDITION")
    return {one.name: one for one in found.values()}


def condition(name: str) -> Condition:
    """One condition.

    Raises:
        ValueError: no condition by that name.
    """
    found = all_conditions().get(name)
    if found is None:
        raise ValueError(f"no condition {name!r}{did_you_mean(name, all_conditions())}")
    return found
