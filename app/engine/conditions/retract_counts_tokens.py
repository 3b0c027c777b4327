"""The check before a decode step adds up tokens where the pool hands out pages."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition

if TYPE_CHECKING:
    from app.engine.driver import Driver


def set_up(driver: "Driver") -> None:
    """Ask for one token per request instead of one page for each at a page boundary."""
    driver.rules.decode_need = lambda crossing, page: crossing


CONDITION = Condition(
    name="retract-counts-tokens",
    text="The check that decides to retract counts a token per request; the step takes a page.",
    set_up=set_up,
)
