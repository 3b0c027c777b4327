"""The order in which a prefix tree gives up its unlocked leaves, the least first."""

from collections.abc import Callable
from typing import Any

from pools.structures.radix_node import RadixNode

POLICIES: dict[str, Callable[[RadixNode], Any]] = {
    "lru": lambda node: node.last_access,
    "lfu": lambda node: (node.hit_count, node.last_access),
}
