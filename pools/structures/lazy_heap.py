"""A heap of eviction candidates kept between evictions; stale entries are dropped when met.

Upstream collects all leaves anew for each eviction. Here a node is pushed when it becomes a
candidate; touching it costs nothing, its entry is pushed again with the new rank when popped. That
is enough as long as ranks only grow: an old entry is met too early, never too late.
"""

import heapq
import itertools
from collections.abc import Callable

from pools.structures.eviction import Order, Rank
from pools.structures.radix_node import RadixNode


class LazyHeap:
    """Candidates in the order of a policy, the least first; at most one entry per node."""

    def __init__(self, order: Order, is_candidate: Callable[[RadixNode], bool]) -> None:
        self._order, self._is_candidate = order, is_candidate
        self._heap: list[tuple[Rank, int, RadixNode]] = []
        self._queued: set[RadixNode] = set()
        self._ids = itertools.count()

    def __len__(self) -> int:
        return len(self._heap)

    def push(self, node: RadixNode) -> None:
        """A node may have become a candidate."""
        if node not in self._queued and self._is_candidate(node):
            self._enter(node)

    def push_again(self, node: RadixNode) -> None:
        """A candidate's rank may have become less."""
        if self._is_candidate(node):
            self._enter(node)

    def pop(self) -> RadixNode | None:
        """The next victim, or None."""
        while self._heap:
            rank, _, node = heapq.heappop(self._heap)
            self._queued.discard(node)
            if not self._is_candidate(node):
                continue
            if self._order(node) == rank:
                return node
            self._enter(node)
        return None

    def clear(self) -> None:
        """No candidates."""
        self._heap.clear()
        self._queued.clear()

    def _enter(self, node: RadixNode) -> None:
        self._queued.add(node)
        heapq.heappush(self._heap, (self._order(node), next(self._ids), node))
