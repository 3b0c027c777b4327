"""The row gate looks at the flag instead of the free list."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition

if TYPE_CHECKING:
    from app.engine.driver import Driver


def set_up(driver: "Driver") -> None:
    """Admit up to the flag, whatever is free."""
    driver.rules.rows = lambda limit, used, free: max(limit - used, 0)


CONDITION = Condition(
    name="gate-counts-flag",
    text="The gate admits up to --max-running-requests less what runs, and does not ask how many "
    "rows are free.",
    set_up=set_up,
)
