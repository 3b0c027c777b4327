"""Admission adds up tokens where the pool hands out pages."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition

if TYPE_CHECKING:
    from app.engine.driver import Driver


def set_up(driver: "Driver") -> None:
    """Round nothing up while admitting."""
    driver.rules.admission_page = lambda page: 1


CONDITION = Condition(
    name="admission-counts-tokens",
    text="Admission adds up tokens; the pool hands out whole pages.",
    set_up=set_up,
)
