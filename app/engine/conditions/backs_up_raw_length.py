"""A caller backs up a request's raw length instead of whole pages of the tree."""

from typing import TYPE_CHECKING, Literal

from app.engine.condition import Condition
from app.engine.policies.sglang import ceil_page
from pools.errors import HostAllocUnaligned, HostTransferSizeMismatch

if TYPE_CHECKING:
    from app.engine.driver import Driver
    from app.engine.live_request import LiveRequest
    from app.engine.pool_set import PoolSet
    from pools.kinds.host_logical import HostLogical
    from pools.structures.radix_node import RadixNode

#: what the caller does about a length that is no whole number of pages
Mend = Literal["nothing", "round host request up", "catch and round up", "cut range first"]


def set_up(driver: "Driver", mend: Mend = "nothing") -> None:
    """Each request that ends is backed up by its own length."""

    def back_up(pools: "PoolSet", live: "LiveRequest", node: "RadixNode") -> bool:
        host = pools.host
        if host is None:
            return True
        device = live.kv_len
        if mend == "cut range first":
            device -= device % host.page_size
        taken = _take(host, device, mend)
        if taken is None:
            return False
        if taken != device:
            raise HostTransferSizeMismatch(host.name, taken, device)
        return True

    driver.rules.back_up = back_up


def _take(host: "HostLogical", count: int, mend: Mend) -> int | None:
    if mend == "round host request up":
        count = ceil_page(count, host.page_size)
    try:
        ids = host.alloc(count)
    except HostAllocUnaligned:
        if mend != "catch and round up":
            raise
        ids = host.alloc(ceil_page(count, host.page_size))
    return None if ids is None else len(ids)


CONDITION = Condition(
    name="backs-up-raw-length",
    text="A caller backs up the raw length of a request instead of whole pages.",
    set_up=set_up,
)
