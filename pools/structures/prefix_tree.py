"""A prefix tree over KV units: match, insert, lock, evict, load back.

Mirrors: sglang 0.5.23 mem_cache/radix_cache.py (RadixCache), demotion and load-back as
    mem_cache/unified_radix_cache.py
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pools.errors import ForeignIndex, InvalidSize, PoolError
from pools.structures.host_tier import HostSlots, HostTier
from pools.structures.kv_units import KvUnits
from pools.structures.radix_node import RadixNode, child_key
from pools.structures.tree_books import TreeBooks

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


class PrefixTree(TreeBooks):
    """The tree itself. Keys are int64 token ids; only whole pages are kept."""

    def __init__(
        self,
        kv: KvUnits,
        page_size: int,
        *,
        eviction_policy: str,
        eviction_config: Mapping[str, int] | None,
        host: HostSlots | None,
        disabled: bool,
    ) -> None:
        """An empty tree over `kv`; with `disabled` nothing is ever kept.

        Raises:
            InvalidSize: an eviction policy, or a parameter of one, that is not there.
        """
        super().__init__(kv, page_size, eviction_policy, eviction_config)
        self.disabled = disabled
        self.tier = HostTier(host, page_size, kv.check) if host is not None else None
        self.hit_tokens_total = self.lookup_tokens_total = self.evicted_tokens_total = 0
        self.loaded_back_tokens_total = 0

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

    def insert(
        self,
        key: Ids,
        indices: Ids,
        owner: int = TREE_OWNER,
        *,
        priority: int = 0,
        inserted_tokens: int = 0,
    ) -> int:
        """Keep a prefix; the tree takes over what it did not have.

        Args:
            key: token ids, shape (n,); the part beyond whole pages is left alone.
            indices: KV token ids for them, shape (n,).
            owner: whose units they are, for the reader; the pool knows.
            priority: of the request; a node keeps the highest that it was inserted with.
            inserted_tokens: what this request has inserted before, and was counted for.
        Returns:
            Tokens of the prefix that were there already: indices[:that] are duplicates, and the
            caller's to free unless they are the tree's own.

        Raises:
            InvalidSize: fewer indices than tokens.
            ForeignIndex, DoubleFree: strict, indices to keep that are not held, no whole pages, or
                named twice; nothing is kept.
        """
        if self.disabled:
            return 0
        key, indices = self._whole_pages(key, indices)
        way = self._way_along(key)
        self._take_over(way, indices)
        self._clock += 1
        present = 0
        for node, is_new in self._nodes_for(way, key, indices, priority):
            node.note_insert(priority, inserted_tokens)
            present += 0 if is_new else len(node)
        return present

    def evict(self, num_tokens: int) -> int:
        """Free at least `num_tokens` by whole leaves, as far as there are unlocked ones.

        Raises:
            MemoryCorrupted: a leaf does not hold what was written; it stays, those before it went.
        """
        freed = 0
        while freed < num_tokens and (node := self._leaves.pop()) is not None:
            value, parent = node.value, node.parent
            if value is None or parent is None:
                continue
            try:
                self.kv.free_segment(value)
            except PoolError:
                self._leaves.push(node)
                raise
            freed += len(value)
            self.evicted_tokens_total += len(value)
            self._evictable -= len(value)
            self._nodes -= 1
            node.value = None
            if self.tier is not None and node.host is not None:
                self.tier.note_demoted(node)
            else:
                node.detach(self.page_size)
            self._leaves.push(parent)
        return freed

    def load_back(self, match: Match) -> Match:
        """Bring the host-only continuation of a match back to the device, if it is worth it.

        Returns:
            The match with the loaded tokens; the same one if nothing was loaded.

        Raises:
            ForeignIndex: the match is out of date.
        """
        if match.host_hit_tokens < LOAD_BACK_THRESHOLD:
            return match
        path = self._host_part(match)
        self.inc_lock_ref(match.node)
        try:
            ids = self.kv.alloc(match.host_hit_tokens, TREE_OWNER)
            if ids is None:
                self.evict(match.host_hit_tokens)
                ids = self.kv.alloc(match.host_hit_tokens, TREE_OWNER)
        finally:
            self.dec_lock_ref(match.node)
        if ids is None:
            return match
        self.kv.adopt(ids, False)
        at = 0
        for node in path:
            self._revive(node, ids[at : at + len(node)])
            at += len(node)
        self.loaded_back_tokens_total += len(ids)
        indices = np.concatenate((match.indices, ids))
        return Match(indices, match.host_node, 0, match.host_node)

    def _whole_pages(self, key: Ids, indices: Ids) -> tuple[Ids, Ids]:
        size = len(key) - len(key) % self.page_size
        if len(indices) < size:
            text = f"{len(indices)} indices are too few for a key of {len(key)} tokens"
            raise InvalidSize(text, num_indices=len(indices), num_tokens=len(key))
        return key[:size], indices[:size]

    def _nodes_for(
        self, way: list[tuple[RadixNode, int]], key: Ids, values: Ids, priority: int
    ) -> Iterator[tuple[RadixNode, bool]]:
        """The nodes that hold a key, cut, revived or made for it, and whether it brought them."""
        node, at = self.root, 0
        for child, shared in way:
            node = self._touched(child, key[at:])
            is_new = node.value is None
            if is_new:
                self._revive(node, values[at : at + shared])
            at += shared
            yield node, is_new
        if at < len(key):
            node = self._add(node, key[at:], values[at:], priority)
            yield node, True
            self._leaves.push(node)

    def _take_over(self, way: list[tuple[RadixNode, int]], values: Ids) -> None:
        """Adopt at once all that the tree does not hold yet, before a node is changed."""
        at, new = 0, []
        for child, shared in way:
            if child.value is None:
                new.append(values[at : at + shared])
            at += shared
        if at < len(values):
            new.append(values[at:])
        if new:
            self.kv.adopt(np.concatenate(new) if len(new) > 1 else new[0], False)

    def _host_part(self, match: Match) -> list[RadixNode]:
        """Nodes between the match's device part and its end, from above; all host-only."""
        path: list[RadixNode] = []
        walk = match.host_node
        while walk is not match.node and walk.parent is not None:
            path.append(walk)
            walk = walk.parent
        whole = walk is match.node and all(
            one.value is None and one.host is not None for one in path
        )
        if not whole or sum(map(len, path)) != match.host_hit_tokens:
            raise ForeignIndex(
                f"a match of {match.host_hit_tokens} host tokens is no part of this tree any more: "
                "match again before loading back",
                tokens=match.host_hit_tokens,
            )
        return path[::-1]
