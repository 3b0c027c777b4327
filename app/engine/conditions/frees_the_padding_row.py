"""A caller takes positions for rows."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition

if TYPE_CHECKING:
    from app.engine.driver import Driver

PADDING_ROW = 0


def set_up(driver: "Driver") -> None:
    """Give back the first position of the batch instead of the row that the request held."""
    driver.rules.give_row_back = lambda pools, row: pools.slots.free([PADDING_ROW])


CONDITION = Condition(
    name="frees-the-padding-row",
    text="A caller gives back a position in the batch instead of a row; row 0 is padding and "
    "belongs to nobody.",
    set_up=set_up,
)
