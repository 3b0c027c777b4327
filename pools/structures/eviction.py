"""The order in which a prefix tree gives up its unlocked leaves, the least first.

    lru        least recently used
    lfu        fewest inserts that shared it, then lru
    slru       seen once before shared by `protected_threshold` inserts, lru within both
    priority   lowest priority of the requests that inserted it, then lru
    tlru       what a conversation's next prefill can do without, then the rest; lru within both

Mirrors: sglang 0.5.23 mem_cache/evict_policy.py; names as `--radix-eviction-policy` takes them,
    parameters as `--radix-eviction-policy-config`.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import TypeAlias

from pools.errors import InvalidSize
from pools.structures.radix_node import RadixNode

Rank: TypeAlias = int | tuple[int, int]
Order = Callable[[RadixNode], Rank]


def _lru() -> Order:
    return lambda node: node.last_access


def _lfu() -> Order:
    return lambda node: (node.hit_count, node.last_access)


def _slru(protected_threshold: int = 2) -> Order:
    return lambda node: (int(node.hit_count >= protected_threshold), node.last_access)


def _priority() -> Order:
    return lambda node: (node.priority, node.last_access)


def _tlru(threshold: int = 0, next_prompt_estimate: int = 0) -> Order:
    # A next prompt of the branch's longest history and `next_prompt_estimate` more may prefill
    # `threshold` tokens; what lies beyond the rest buys nothing. The history does not shrink with
    # the branch, else a trimmed one would be over its budget again and be trimmed to nothing.
    def order(node: RadixNode) -> Rank:
        worth_keeping = max(node.history_tokens + next_prompt_estimate - threshold, 0)
        return (int(node.depth_tokens - len(node) < worth_keeping), node.last_access)

    return order


#: policy: what builds its order from its parameters
POLICIES: dict[str, Callable[..., Order]] = {
    "lru": _lru,
    "lfu": _lfu,
    "slru": _slru,
    "priority": _priority,
    "tlru": _tlru,
}


def order_of(policy: str, config: Mapping[str, int] | None = None) -> Order:
    """The order of a policy with its parameters, all of them token or hit counts.

    Raises:
        InvalidSize: no such policy, a parameter that it does not take, or one below zero.
    """
    if policy not in POLICIES:
        raise InvalidSize(f"eviction policy {policy!r}: use {', '.join(POLICIES)}")
    takes = tuple(inspect.signature(POLICIES[policy]).parameters)
    for name, value in (config or {}).items():
        if name not in takes:
            known = f"it takes {', '.join(takes)}" if takes else "it takes none"
            raise InvalidSize(f"eviction policy {policy} has no parameter {name!r}: {known}")
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            text = f"eviction policy {policy}: {name} {value!r} is no whole number of 0 or more"
            raise InvalidSize(text, value=str(value))
    return POLICIES[policy](**(config or {}))
