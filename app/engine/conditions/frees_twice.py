"""Two code paths end the same request."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition
from app.engine.policies.rules import give_row_back

if TYPE_CHECKING:
    from app.engine.driver import Driver
    from app.engine.pool_set import PoolSet


def set_up(driver: "Driver") -> None:
    """Give each row back twice, as an abort does that comes after the finish."""

    def twice(pools: "PoolSet", row: int) -> None:
        give_row_back(pools, row)
        give_row_back(pools, row)

    driver.rules.give_row_back = twice


CONDITION = Condition(
    name="frees-twice",
    text="Two code paths end the same request, and each gives its row back.",
    set_up=set_up,
)
