"""The nodes of a prefix tree: who is locked, what they hold, and the sums of it."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from pools.errors import ForeignIndex, IntegrityError
from pools.structures.eviction import order_of
from pools.structures.kv_units import KvUnits
from pools.structures.lazy_heap import LazyHeap
from pools.structures.radix_node import RadixNode, child_key, common_prefix

Ids = NDArray[np.int64]


class TreeBooks:
    """Everything of a prefix tree but looking up, keeping and giving up (`PrefixTree`).

    Attributes:
        root: holds nothing, and is locked for ever.
    """

    def __init__(
        self,
        kv: KvUnits,
        page_size: int,
        eviction_policy: str,
        eviction_config: Mapping[str, int] | None,
    ) -> None:
        """No nodes.

        Raises:
            InvalidSize: an eviction policy, or a parameter of one, that is not there.
        """
        order = order_of(eviction_policy, eviction_config)
        self.kv, self.page_size, self.eviction_policy = kv, page_size, eviction_policy
        self.root = RadixNode(np.empty(0, np.int64), np.empty(0, np.int64), None)
        self.root.lock_ref = 1
        self._leaves = LazyHeap(order, lambda node: node.lock_ref == 0 and node.is_device_leaf)
        self._keeps_history = eviction_policy == "tlru"
        self._clock = 0
        self._evictable = self._protected = self._nodes = 0

    def evictable_size(self) -> int:
        """Tokens in unlocked nodes."""
        return self._evictable

    def protected_size(self) -> int:
        """Tokens in locked nodes."""
        return self._protected

    def total_size(self) -> int:
        """Tokens in all nodes with a value."""
        return self._evictable + self._protected

    def inc_lock_ref(self, node: RadixNode) -> None:
        """Someone runs on this node: it and all above are protected.

        Raises:
            ForeignIndex: the node has left the tree, by eviction or `clear`.
        """
        for one in self._up_from(node):
            if one.lock_ref == 0 and one.value is not None:
                self._evictable -= len(one)
                self._protected += len(one)
                self.kv.mark_protected(one.value)
            one.lock_ref += 1

    def dec_lock_ref(self, node: RadixNode) -> None:
        """Undo one `inc_lock_ref`.

        Raises:
            ForeignIndex: the node has left the tree, by `clear`.
            IntegrityError: the node is not locked.
        """
        for one in self._up_from(node):
            if one.lock_ref < 1:
                raise IntegrityError("a prefix node was unlocked more often than locked")
            one.lock_ref -= 1
            if one.lock_ref == 0 and one.value is not None:
                self._protected -= len(one)
                self._evictable += len(one)
                self.kv.mark_evictable(one.value)
                self._leaves.push(one)

    def _up_from(self, node: RadixNode) -> list[RadixNode]:
        """The node and those above it, the root left out."""
        way: list[RadixNode] = []
        walk = node
        while walk.parent is not None:
            way.append(walk)
            walk = walk.parent
        if walk is not self.root:
            raise ForeignIndex(
                f"a prefix node of {len(node)} tokens is no node of this tree any more: it was "
                "evicted or cleared since it was matched",
                tokens=len(node),
            )
        return way

    def _way_along(self, key: Ids) -> list[tuple[RadixNode, int]]:
        """Nodes that share tokens with `key`, from the root down, and how many; changes nothing."""
        node, way = self.root, []
        while len(key):
            child = node.children.get(child_key(key, self.page_size))
            if child is None:
                break
            shared = common_prefix(child.key, key, self.page_size)
            way.append((child, shared))
            if shared < len(child):
                break
            node, key = child, key[shared:]
        return way

    def _add(self, parent: RadixNode, key: Ids, value: Ids, priority: int) -> RadixNode:
        """A new node whose units the tree has adopted; the caller makes it a candidate."""
        node = RadixNode(key.copy(), value.copy(), parent)
        self._clock += 1
        node.last_access, node.priority = self._clock, priority
        if self._keeps_history:
            node.raise_history()
        parent.children[child_key(key, self.page_size)] = node
        self._evictable += len(value)
        self._nodes += 1
        return node

    def _revive(self, node: RadixNode, value: Ids) -> None:
        """A node that has only its host copy gets units that the tree has adopted."""
        node.value = value.copy()
        if node.lock_ref:
            self.kv.mark_protected(value)
            self._protected += len(value)
        else:
            self._evictable += len(value)
            self._leaves.push(node)
        self._nodes += 1

    def _touched(self, node: RadixNode, rest: Ids) -> RadixNode:
        """The part of a node that `rest` begins with, as a node of its own."""
        # What is cut off counts as used too, just before: upstream reads its clock in this order.
        node.last_access = self._clock
        shared = common_prefix(node.key, rest, self.page_size)
        if shared == len(node):
            return node
        self._nodes += node.value is not None
        upper = node.split(shared, self.page_size)
        self._clock += 1
        upper.last_access = self._clock
        if self._keeps_history:
            # A shorter leaf may go earlier; all other ranks only grow, which the heap allows for.
            self._leaves.push_again(node)
        return upper

    def _forget_nodes(self) -> None:
        for child in self.root.children.values():
            child.parent = None
        self.root.children.clear()
        self._evictable = self._protected = self._nodes = 0
        self._leaves.clear()

    def _walk(self) -> Iterator[RadixNode]:
        stack = list(self.root.children.values())
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children.values())
