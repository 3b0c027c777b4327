"""The decisions that serving code has got wrong before, replaceable one by one.

A driver starts with the rules as they should be. A condition (`app/engine/conditions/`) puts a
faulty one in a rule's place, so that an error can be shown with the cause it has in the field.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.engine.policies.sglang import decode_need, rows_allocatable

if TYPE_CHECKING:
    from app.engine.live_request import LiveRequest
    from app.engine.pool_set import Ids, PoolSet
    from pools.structures.radix_node import RadixNode


def reclaimable(pools: "PoolSet") -> int:
    """Tokens that admission may count on: free, or evictable."""
    return pools.reclaimable()


def give_row_back(pools: "PoolSet", row: int) -> None:
    """A request leaves its row."""
    pools.slots.free([row])


def give_tail_back(pools: "PoolSet", ids: "Ids") -> None:
    """A finished request frees what the tree did not take over: duplicates and its last page."""
    pools.kv.free(ids)


def back_up(pools: "PoolSet", live: "LiveRequest", node: "RadixNode") -> bool:
    """A finished request's prefix goes to the host pool; False when there was no room."""
    return pools.tree.back_up(node) is not None


@dataclass(slots=True)
class Rules:
    """One set per driver; conditions replace single rules before the first request.

    Attributes:
        rows: requests that the row gate lets in (limit, in use, free rows).
        admission_page: tokens to which admission rounds a request, from the pool's page.
        reclaimable: what admission may count on, tokens.
        decode_need: tokens that the next decode step takes, before it is decided to retract.
        give_row_back, give_tail_back, back_up: what a request does when it leaves.
    """

    rows: Callable[[int, int, int], int] = rows_allocatable
    admission_page: Callable[[int], int] = int
    reclaimable: Callable[["PoolSet"], int] = reclaimable
    decode_need: Callable[[int, int], int] = decode_need
    give_row_back: Callable[["PoolSet", int], None] = give_row_back
    give_tail_back: Callable[["PoolSet", "Ids"], None] = give_tail_back
    back_up: Callable[["PoolSet", "LiveRequest", "RadixNode"], bool] = back_up
