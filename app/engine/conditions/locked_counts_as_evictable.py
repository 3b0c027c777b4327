"""Admission counts on prefixes that running requests hold locked."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition

if TYPE_CHECKING:
    from app.engine.driver import Driver


def set_up(driver: "Driver") -> None:
    """Add what is protected to what can be reclaimed."""
    driver.rules.reclaimable = lambda pools: pools.reclaimable() + pools.tree.protected_size()


CONDITION = Condition(
    name="locked-counts-as-evictable",
    text="Admission counts on cached prefixes that running requests hold locked.",
    set_up=set_up,
)
