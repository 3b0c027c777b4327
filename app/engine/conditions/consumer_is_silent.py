"""A consumer does not acknowledge."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition
from app.engine.faults import fault

if TYPE_CHECKING:
    from app.engine.driver import Driver


def set_up(driver: "Driver", seconds: float) -> None:
    """Consumer 1 holds back every acknowledgement for so many simulated seconds."""
    fault("silent-consumer").inject(driver, consumer=1, seconds=seconds)


CONDITION = Condition(
    name="consumer-is-silent",
    text="One rank does not acknowledge what it has read.",
    set_up=set_up,
)
