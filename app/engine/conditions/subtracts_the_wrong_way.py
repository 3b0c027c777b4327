"""A caller asks for a negative amount."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition

if TYPE_CHECKING:
    from app.engine.driver import Driver
    from app.engine.live_request import LiveRequest
    from app.engine.pool_set import PoolSet
    from pools.structures.radix_node import RadixNode


def set_up(driver: "Driver") -> None:
    """Back up 'what is there already minus what is wanted' instead of the reverse."""

    def back_up(pools: "PoolSet", live: "LiveRequest", node: "RadixNode") -> bool:
        if pools.host is None:
            return True
        there, wanted = 0, live.kv_len - live.kv_len % pools.host.page_size
        return pools.host.alloc(there - wanted) is not None

    driver.rules.back_up = back_up


CONDITION = Condition(
    name="subtracts-the-wrong-way",
    text="A caller subtracts the wrong way round and asks for less than nothing.",
    set_up=set_up,
)
