"""Admission promises more rows than there are."""

from typing import TYPE_CHECKING, Any

from app.engine.fault import Fault
from pools.allocation import alloc_req_slots
from pools.errors import ReqSlotsExhausted

if TYPE_CHECKING:
    from app.engine.driver import Driver

NAME = "over-admission"
MOST_EXTRA = 1_000_000


def inject(driver: "Driver", extra: int = 1) -> dict[str, Any]:
    """Ask for `extra` rows more than are free, past the gate.

    Raises:
        ValueError: extra is below 1, or more than anybody means.
    """
    if type(extra) is not int or not 1 <= extra <= MOST_EXTRA:
        raise ValueError(f"extra must be a whole number in 1..{MOST_EXTRA}, got {extra!r:.40}")
    slots = driver.set.slots
    asked = slots.available_size() + extra
    try:
        rows = alloc_req_slots(slots, asked)
    except ReqSlotsExhausted as error:
        driver.raised(error, slots.name, NAME)
        return {"raised": error.code, **error.numbers}
    slots.free(rows)
    return {"raised": None}


FAULT = Fault(
    name=NAME,
    title="Over-admission",
    look="Asks for one row more than are free, past the scheduler's gate: alloc_req_slots raises. "
    "A real server's scheduler would stop here; this one notes it and goes on.",
    destructive=False,
    inject=inject,
)
