"""A caller takes whole pages of the host pool and gives part of one back."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition
from app.engine.policies.sglang import ceil_page

if TYPE_CHECKING:
    from app.engine.driver import Driver
    from app.engine.live_request import LiveRequest
    from app.engine.pool_set import PoolSet
    from pools.structures.radix_node import RadixNode


def set_up(driver: "Driver", whole_pages: bool = False) -> None:
    """Trim a backup to the request's raw length; with `whole_pages`, to its last whole page."""

    def back_up(pools: "PoolSet", live: "LiveRequest", node: "RadixNode") -> bool:
        host = pools.host
        if host is None:
            return True
        ids = host.alloc(ceil_page(live.kv_len, host.page_size))
        if ids is None:
            return False
        keep = live.kv_len - live.kv_len % host.page_size if whole_pages else live.kv_len
        host.free(ids[keep:])
        return True

    driver.rules.back_up = back_up


CONDITION = Condition(
    name="frees-host-in-part",
    text="A caller rounds up, then gives back what it did not fill: part of a page.",
    set_up=set_up,
)
