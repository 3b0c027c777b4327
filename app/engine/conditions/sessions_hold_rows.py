"""Open sessions keep rows beside the running batch."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition
from pools.allocation import alloc_req_slots

if TYPE_CHECKING:
    from app.engine.driver import Driver

SESSION = -1


def set_up(driver: "Driver", count: int) -> None:
    """Open `count` sessions, each with a row.

    Raises:
        ReqSlotsExhausted: the pool does not even hold the sessions.
    """
    alloc_req_slots(driver.set.slots, count, [SESSION] * count)


CONDITION = Condition(
    name="sessions-hold-rows",
    text="Sessions that are opened and not closed hold a row each.",
    set_up=set_up,
)
