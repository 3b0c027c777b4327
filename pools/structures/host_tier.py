"""The prefix tree's host copies: backup on insert, demotion, load-back, host eviction.

Mirrors: sglang 0.5.23 mem_cache/unified_radix_cache.py (write_through with threshold 1)
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pools.structures.lazy_heap import LazyHeap
from pools.structures.radix_node import RadixNode

Ids = NDArray[np.int64]


class HostSlots(Protocol):
    """What the tier needs of a host pool."""

    def alloc(self, need_size: int) -> Ids | None:
        """Host ids or None."""
        ...

    def free(self, indices: Ids) -> int:
        """Give them back."""
        ...

    def available_size(self) -> int:
        """Free host tokens."""
        ...


class HostTier:
    """Host copies of tree nodes. A node is backed up only below a backed-up parent."""

    def __init__(self, host: HostSlots, page_size: int, check: Callable[[Ids], None]) -> None:
        """A tier over `host`; `check` verifies KV memory before it is copied."""
        self._host, self._page, self._check = host, page_size, check
        self._leaves = LazyHeap(lambda node: node.last_access, lambda node: node.is_host_leaf)
        self.backed_up_tokens_total = 0
        self.evicted_tokens_total = 0
        self.skipped_total = 0

    def back_up(self, node: RadixNode) -> int | None:
        """Copy a node and its ancestors to the host.

        Returns:
            Tokens newly backed up; None when the host is full of what cannot go: skipped, no error.
        """
        path: list[RadixNode] = []
        walk: RadixNode | None = node
        while walk is not None and walk.parent is not None:
            if walk.host is None and walk.value is not None:
                path.append(walk)
            walk = walk.parent
        done = 0
        for one in reversed(path):
            if one.value is not None:
                self._check(one.value)
            ids = self._alloc(len(one))
            if ids is None:
                self.skipped_total += 1
                return None
            one.host = ids
            done += len(ids)
            self.backed_up_tokens_total += len(ids)
        return done

    def note_demoted(self, node: RadixNode) -> None:
        """A node lost its KV tokens and keeps its host copy."""
        self._leaves.push(node)

    def drop(self, node: RadixNode) -> None:
        """Free a node's host copy."""
        if node.host is not None:
            self._host.free(node.host)
            node.host = None

    def evict(self, num_tokens: int) -> int:
        """Drop host-only leaves, least recently used first; tokens freed."""
        freed = 0
        while freed < num_tokens and (node := self._leaves.pop()) is not None:
            freed += len(node)
            self.drop(node)
            parent = node.parent
            node.detach(self._page)
            if parent is not None:
                self._leaves.push(parent)
        self.evicted_tokens_total += freed
        return freed

    def clear(self) -> None:
        """Forget all candidates; the pool is cleared by its owner."""
        self._leaves.clear()

    def _alloc(self, count: int) -> Ids | None:
        short = count - self._host.available_size()
        if short > 0 and self.evict(short) < short:
            return None
        return self._host.alloc(count)
