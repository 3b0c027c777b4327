"""The leaves of a prefix tree as upstream's Python tree keeps them: a heap per eviction."""

import heapq


class Leaf:
    """An unlocked leaf with the time of its last use."""

    def __init__(self, last_used: float, tokens: int) -> None:
        self.last_used, self.tokens = last_used, tokens

    def __lt__(self, other: "Leaf") -> bool:
        return self.last_used < other.last_used


class Leaves:
    """Evictable leaves, least recently used first."""

    def __init__(self) -> None:
        self.leaves: set[Leaf] = set()

    def insert(self, last_used: float, tokens: int) -> None:
        """Add a leaf."""
        self.leaves.add(Leaf(last_used, tokens))

    def evict(self, tokens: int) -> int:
        """Drop leaves until `tokens` are free, in O(leaves); how many were freed."""
        heap = [(leaf.last_used, leaf) for leaf in self.leaves]
        heapq.heapify(heap)
        freed = 0
        while freed < tokens and heap:
            _, leaf = heapq.heappop(heap)
            self.leaves.remove(leaf)
            freed += leaf.tokens
        return freed
