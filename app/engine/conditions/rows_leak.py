"""One code path forgets to give the row back."""

import itertools
from typing import TYPE_CHECKING

from app.engine.condition import Condition
from app.engine.policies.rules import give_row_back

if TYPE_CHECKING:
    from app.engine.driver import Driver
    from app.engine.pool_set import PoolSet


def set_up(driver: "Driver", every: int) -> None:
    """Each `every`-th request that ends leaves its row behind."""
    ended = itertools.count(1)

    def lose_some(pools: "PoolSet", row: int) -> None:
        if next(ended) % every:
            give_row_back(pools, row)
        else:
            pools.slots.disown(row)

    driver.rules.give_row_back = lose_some


CONDITION = Condition(
    name="rows-leak",
    text="One code path ends requests without giving their row back.",
    set_up=set_up,
)
