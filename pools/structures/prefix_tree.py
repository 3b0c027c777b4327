"""A prefix tree over KV units: match, insert, lock, evict, load back.

Mirrors: sglang 0.5.23 mem_cache/radix_cache.py (RadixCache), demotion and load-back as
    mem_cache/unified_radix_cache.py
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pools.errors import IntegrityError, InvalidSize
from pools.structures.eviction import POLICIES
from pools.structures.host_tier import HostSlots, HostTier
from pools.structures.kv_units import KvUnits
from pools.structures.lazy_heap import LazyHeap
from pools.structures.radix_node import RadixNode, child_key, common_prefix

Ids = NDArray[np.int64]
TREE_OWNER = -2
#: fewer host tokens than this are not worth a load-back
LOAD_BACK_THRESHOLD = 10


@dataclass(frozen=True, slots=True)
class Match:
    """What of a prompt is there: `indices` on the device, then so many tokens on the host only."""

    indices: Ids
    node: RadixNode
    host_hit_tokens: int
    host_node: RadixNode


class PrefixTree:
    """The tree itself. Keys are int64 token ids; only whole pages are kept."""

    def __init__(
        self,
        kv: KvUnits,
        page_size: int,
        *,
        eviction_policy: str,
        host: HostSlots | None,
        disabled: bool,
    ) -> None:
        """An empty tree over `kv`; with `disabled` nothing is ever kept.

        Raises:
            InvalidSize: an eviction policy that is not there.
        """
        if eviction_policy not in POLICIES:
            raise InvalidSize(f"eviction policy {eviction_policy!r}: use {', '.join(POLICIES)}")
        self.kv, self.page_size, self.disabled = kv, page_size, disabled
        self.tier = HostTier(host, page_size, kv.check) if host is not None else None
        self.root = RadixNode(np.empty(0, np.int64), np.empty(0, np.int64), None)
        self.root.lock_ref = 1
        self._leaves = LazyHeap(
            POLICIES[eviction_policy], lambda node: node.lock_ref == 0 and node.is_device_leaf
        )
        self._clock = 0
        self._evictable = self._protected = self._nodes = 0
        self.hit_tokens_total = self.lookup_tokens_total = self.evicted_tokens_total = 0
        self.loaded_back_tokens_total = 0

    def evictable_size(self) -> int:
        """Tokens in unlocked nodes."""
        return self._evictable

    def protected_size(self) -> int:
        """Tokens in locked nodes."""
        return self._protected

    def total_size(self) -> int:
        """Tokens in all nodes with a value."""
        return self._evictable + self._protected

    def match_prefix(self, key: Ids) -> Match:
        """The longest prefix of `key`, whole pages, that is in the tree; counts as a use."""
        node, values, host_hit = self.root, [], 0
        device_node = self.root
        rest = key[: len(key) - len(key) % self.page_size]
        self.lookup_tokens_total += len(rest)
        self._clock += 1
        while len(rest):
            child = node.children.get(child_key(rest, self.page_size))
            if child is None:
                break
            child = self._touched(child, rest)
            if child.value is None:
                host_hit += len(child)
            elif host_hit == 0:
                values.append(child.value)
                device_node = child
            else:
                break
            node, rest = child, rest[len(child) :]
        indices = np.concatenate(values) if values else np.empty(0, np.int64)
        self.hit_tokens_total += len(indices)
        return Match(indices, device_node, host_hit, node)

    def insert(self, key: Ids, indices: Ids, owner: int = TREE_OWNER) -> int:
        """Keep a prefix; the tree takes over what it did not have.

        Args:
            key: token ids, shape (n,); the part beyond whole pages is left alone.
            indices: KV token ids for them, shape (n,).
            owner: whose units they are, for the reader; the pool knows.
        Returns:
            Tokens of the prefix that were there already: indices[:that] are duplicates, and the
            caller's to free unless they are the tree's own.
        """
        if self.disabled:
            return 0
        size = len(key) - len(key) % self.page_size
        rest, values, node, present = key[:size], indices[:size], self.root, 0
        self._clock += 1
        while len(rest):
            child = node.children.get(child_key(rest, self.page_size))
            if child is None:
                self._add(node, rest, values)
                break
            child = self._touched(child, rest)
            child.hit_count += 1
            shared = len(child)
            if child.value is None:
                self._revive(child, values[:shared])
            else:
                present += shared
            node, rest, values = child, rest[shared:], values[shared:]
        return present

    def inc_lock_ref(self, node: RadixNode) -> None:
        """Someone runs on this node: it and all above are protected."""
        walk: RadixNode | None = node
        while walk is not None and walk.parent is not None:
            if walk.lock_ref == 0 and walk.value is not None:
                self._evictable -= len(walk)
                self._protected += len(walk)
                self.kv.mark_protected(walk.value)
            walk.lock_ref += 1
            walk = walk.parent

    def dec_lock_ref(self, node: RadixNode) -> None:
        """Undo one `inc_lock_ref`.

        Raises:
            IntegrityError: the node is not locked.
        """
        walk: RadixNode | None = node
        while walk is not None and walk.parent is not None:
            if walk.lock_ref < 1:
                raise IntegrityError("a prefix node was unlocked more often than locked")
            walk.lock_ref -= 1
            if walk.lock_ref == 0 and walk.value is not None:
                self._protected -= len(walk)
                self._evictable += len(walk)
                self.kv.mark_evictable(walk.value)
                self._leaves.push(walk)
            walk = walk.parent

    def evict(self, num_tokens: int) -> int:
        """Free at least `num_tokens` by whole leaves, as far as there are unlocked ones."""
        freed = 0
        while freed < num_tokens and (node := self._leaves.pop()) is not None:
            value, parent = node.value, node.parent
            if value is None or parent is None:
                continue
            self.kv.free_segment(value)
            freed += len(value)
            self._evictable -= len(value)
            self._nodes -= 1
            node.value = None
            if self.tier is not None and node.host is not None:
                self.tier.note_demoted(node)
            else:
                node.detach(self.page_size)
            self._leaves.push(parent)
        self.evicted_tokens_total += freed
        return freed

    def load_back(self, match: Match) -> Match:
        """Bring the host-only continuation of a match back to the device, if it is worth it.

        Returns:
            The match with the loaded tokens; the same one if nothing was loaded.
        """
        if match.host_hit_tokens < LOAD_BACK_THRESHOLD:
            return match
        path: list[RadixNode] = []
        walk = match.host_node
        while walk is not match.node and walk.parent is not None:
            path.append(walk)
            walk = walk.parent
        self.inc_lock_ref(match.node)
        ids = self.kv.alloc(match.host_hit_tokens, TREE_OWNER)
        if ids is None:
            self.evict(match.host_hit_tokens)
            ids = self.kv.alloc(match.host_hit_tokens, TREE_OWNER)
        self.dec_lock_ref(match.node)
        if ids is None:
            return match
        at = 0
        for node in reversed(path):
            self._revive(node, ids[at : at + len(node)])
            at += len(node)
        self.loaded_back_tokens_total += len(ids)
        indices = np.concatenate((match.indices, ids))
        return Match(indices, match.host_node, 0, match.host_node)

    def _add(self, parent: RadixNode, key: Ids, value: Ids) -> None:
        node = RadixNode(key.copy(), value.copy(), parent)
        self._clock += 1
        node.last_access, node.hit_count = self._clock, 1
        parent.children[child_key(key, self.page_size)] = node
        self.kv.adopt(value, False)
        self._evictable += len(value)
        self._nodes += 1
        self._leaves.push(node)

    def _revive(self, node: RadixNode, value: Ids) -> None:
        node.value = value.copy()
        self.kv.adopt(value, node.lock_ref > 0)
        if node.lock_ref:
            self._protected += len(value)
        else:
            self._evictable += len(value)
            self._leaves.push(node)
        self._nodes += 1

    def _touched(self, node: RadixNode, rest: Ids) -> RadixNode:
        # The part of a node that `rest` begins with, as a node of its own. What is cut off counts
        # as used too, just before: upstream reads its clock in this order.
        node.last_access = self._clock
        shared = common_prefix(node.key, rest, self.page_size)
        if shared == len(node):
            return node
        self._nodes += node.value is not None
        upper = node.split(shared, self.page_size)
        self._clock += 1
        upper.last_access = self._clock
        return upper

    def _walk(self) -> Iterator[RadixNode]:
        stack = list(self.root.children.values())
        while stack:
            node = stack.pop()
            yield node
            stack.extend(node.children.values())
