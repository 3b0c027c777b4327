"""Admission promises more rows than there are."""

from typing import TYPE_CHECKING, Any

from app.engine.fault import Fault
from pools.allocation import alloc_req_slots
from pools.errors import ReqSlotsExhausted

if TYPE_CHECKING:
    from app.engine.driver import Driver

NAME = "over-admission"
NOBODY = -1


def inject(driver: "Driver", extra: int = 1) -> dict[str, Any]:
    """Ask for `extra` rows more than are free, past the gate.

    Raises:
        ValueError: extra is below 1.
    """
    if type(extra) is not int or extra < 1:
        raise ValueError(f"extra must be a whole number from 1, got {extra!r}")
    slots = driver.set.slots
    asked = slots.available_size() + extra
    try:
        rows = alloc_req_slots(slots, asked, [NOBODY] * asked)
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
