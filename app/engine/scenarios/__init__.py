"""Scenarios by name, one file each with the constant SCENARIO."""

import functools
import sys

from app.engine.scenario import Scenario
from app.nearest import did_you_mean
from pools.base import discover


@functools.cache
def all_scenarios() -> dict[str, Scenario]:
    """Every scenario by its name."""
    found = discover(sys.modules[__name__], "SCENARIO")
    return {one.name: one for one in found.values()}


def scenario_names() -> tuple[str, ...]:
    """Names, sorted."""
    return tuple(sorted(all_scenarios()))


def scenario(name: str) -> Scenario:
    """One scenario.

    Raises:
        ValueError: no scenario by that name.
    """
    found = all_scenarios().get(name)
    if found is None:
        raise ValueError(f"no scenario {name!r}{did_you_mean(name, scenario_names())}")
    return found
