"""Faults by name, one file each with the constant FAULT."""

import functools
import sys

from app.engine.fault import Fault
from pools.base import discover


@functools.cache
def all_faults() -> dict[str, Fault]:
    """Every fault by its name."""
    found = discover(sys.modules[__name__], "FAULT")
    return {one.name: one for one in found.values()}


def fault_names() -> tuple[str, ...]:
    """Names, sorted."""
    return tuple(sorted(all_faults()))


def fault(name: str) -> Fault:
    """One fault.

    Raises:
        ValueError: no fault by that name.
    """
    found = all_faults().get(name)
    if found is None:
        raise ValueError(f"no fault {name!r}; there are: {', '.join(fault_names())}")
    return found
