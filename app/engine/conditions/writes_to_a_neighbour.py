"""A wrong index reaches the KV buffer."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition
from app.engine.policies.rules import give_tail_back

if TYPE_CHECKING:
    from app.engine.driver import Driver
    from app.engine.pool_set import Ids, PoolSet

STRANGER = 9_999


def set_up(driver: "Driver") -> None:
    """Before a request gives its last page back, someone else writes there."""

    def written_over(pools: "PoolSet", ids: "Ids") -> None:
        if len(ids):
            pools.kv.stamp(ids[:1], STRANGER, 0, 0)
        give_tail_back(pools, ids)

    driver.rules.give_tail_back = written_over


CONDITION = Condition(
    name="writes-to-a-neighbour",
    text="A kernel gets a wrong index and writes into another request's page.",
    set_up=set_up,
)
