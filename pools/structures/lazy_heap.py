"""A heap of eviction candidates kept between evictions; stale entries are dropped when met.

Upstream collects all leaves anew for each eviction. Here a node is pushed when it becomes a
candidate; touching it costs nothing, its old entry is re-pushed with the new order when popped.
"""

import heapq
import itertools
from collections.abc import Callable, Iterable
from typing import Any

from pools.structures.radix_node import RadixNode

Order = Callable[[RadixNode], Any]


class LazyHeap:
    """Candidates in the order of a policy, the least first."""

    def __init__(self, order: Order, is_candidate: Callable[[RadixNode], bool]) -> None:
        self._order, self._is_candidate = order, is_candidate
        self._heap: list[tuple[Any, int, RadixNode]] = []
        self._ids = itertools.count()
        self._live = 0

    def push(self, node: RadixNode) -> None:
        """A node may have become a candidate."""
        if self._is_candidate(node):
            heapq.heappush(self._heap, (self._order(node), next(self._ids), node))

    def pop(self) -> RadixNode | None:
        """The next victim, or None."""
        while self._heap:
            order, _, node = heapq.heappop(self._heap)
            if not self._is_candidate(node):
                continue
            now = self._order(node)
            if now == order:
                return node
            heapq.heappush(self._heap, (now, next(self._ids), node))
        return None

    def compact(self, nodes: Iterable[RadixNode], limit: int) -> None:
        """Rebuild from the tree when stale entries outnumber `limit`."""
        if len(self._heap) <= limit:
            return
        self._heap = [
            (self._order(node), next(self._ids), node) for node in nodes if self._is_candidate(node)
        ]
        heapq.heapify(self._heap)

    def clear(self) -> None:
        """No candidates."""
        self._heap.clear()
