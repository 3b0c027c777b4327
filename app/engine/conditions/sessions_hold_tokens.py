"""Open sessions keep KV beside the running batch."""

from typing import TYPE_CHECKING

from app.engine.condition import Condition
from pools.allocation import evict_for

if TYPE_CHECKING:
    from app.engine.driver import Driver

SESSION = -1


def set_up(driver: "Driver", tokens: int) -> None:
    """Let one session hold so many tokens of KV, whole pages.

    Raises:
        ValueError: the pool is smaller than that.
    """
    kv = driver.set.kv
    evict_for(driver.set.tree, kv, tokens)
    if kv.alloc(tokens, SESSION) is None:
        raise ValueError(f"{tokens:,} tokens do not fit a pool of {kv.size:,}")


CONDITION = Condition(
    name="sessions-hold-tokens",
    text="A session keeps its KV while it waits for its next turn.",
    set_up=set_up,
)
