"""Evict, allocate, and turn a `None` into the coded error that upstream raises at this place.

Mirrors: sglang 0.5.23 mem_cache/allocation.py (alloc_req_slots, alloc_token_slots,
    alloc_paged_token_slots_extend, alloc_paged_token_slots_decode, ensure_mamba_capacity)
"""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pools.errors import (
    KvDecodeOutOfMemory,
    KvPrefillOutOfMemory,
    KvTokenOutOfMemory,
    ReqSlotsExhausted,
)
from pools.structures.hybrid_requests import HybridRequests

Ids = NDArray[np.int64]
Ints = NDArray[np.integer]


class Rows(Protocol):
    """The request slots."""

    def alloc(self, num_reqs: int, owners: Sequence[int] | None = None) -> list[int] | None:
        """Rows or None."""
        ...

    def available_size(self) -> int:
        """Free rows."""
        ...


class Tokens(Protocol):
    """A KV pool."""

    page_size: int

    def alloc(self, need_tokens: int, owner: int) -> Ids | None:
        """Token ids or None."""
        ...

    def alloc_extend(
        self, prefix_lens: Ints, seq_lens: Ints, last_locs: Ints, owners: Ints
    ) -> Ids | None:
        """Token ids or None."""
        ...

    def alloc_decode(self, seq_lens: Ints, last_locs: Ints, owners: Ints) -> Ids | None:
        """Token ids or None."""
        ...

    def alloc_decode_steps(
        self, lengths: Ints, last_locs: Ints, owners: Ints, steps: int
    ) -> Ids | None:
        """Token ids of several steps or None."""
        ...

    def available_size(self) -> int:
        """Free tokens."""
        ...


class Tree(Protocol):
    """The prefix tree."""

    def evict(self, num_tokens: int) -> int:
        """Free tokens of unlocked leaves."""
        ...

    def evictable_size(self) -> int:
        """Tokens that could be freed."""
        ...


def alloc_req_slots(slots: Rows, num_reqs: int, owners: Sequence[int] | None = None) -> list[int]:
    """Rows for new requests.

    Raises:
        ReqSlotsExhausted: admission promised more rows than are free; nothing is taken.
    """
    rows = slots.alloc(num_reqs, owners)
    if rows is None:
        raise ReqSlotsExhausted(slots.available_size(), num_reqs)
    return rows


def ensure_mamba_capacity(
    pool: HybridRequests, rids: Sequence[int], headroom_slots: int | None = None
) -> bool:
    """Evict cached states until the requests' own slots fit; whether they do.

    Args:
        pool: rows and state slots.
        rids: requests to be bound.
        headroom_slots: slots wanted instead of the exact count, as earlier releases did by a
            factor (`pools.structures.mamba_demand.headroom_by_factor`).
    """
    needed = pool.needed_slots(rids) if headroom_slots is None else headroom_slots
    missing = needed - pool.states.available_size()
    if missing > 0:
        pool.states.evict(missing)
    return pool.states.available_size() >= needed


def alloc_hybrid_req_slots(
    pool: HybridRequests, rids: Sequence[int], headroom_slots: int | None = None
) -> list[int]:
    """Rows and state slots for requests of a hybrid model, after evicting cached states.

    Raises:
        ReqSlotsExhausted: too few rows; nothing is taken.
        MambaSlotsExhausted, MambaPingPongExhausted: too few slots, see `HybridRequests.alloc`.
    """
    ensure_mamba_capacity(pool, rids, headroom_slots)
    rows = pool.alloc(rids)
    if rows is None:
        raise ReqSlotsExhausted(pool.available_size(), len(rids))
    return rows


def alloc_token_slots(tree: Tree, kv: Tokens, num_tokens: int, owner: int) -> Ids:
    """Token ids at page size 1, shape (num_tokens,), int64.

    Raises:
        KvTokenOutOfMemory: too few even after eviction.
    """
    evict_for(tree, kv, num_tokens)
    ids = kv.alloc(num_tokens, owner)
    if ids is None:
        raise KvTokenOutOfMemory(num_tokens, kv.available_size(), tree.evictable_size())
    return ids


def alloc_for_extend(
    tree: Tree, kv: Tokens, prefix_lens: Ints, seq_lens: Ints, last_locs: Ints, owners: Ints
) -> Ids:
    """Token ids for a prefill batch; eviction is asked for its tokens and one page a request.

    Args:
        prefix_lens, seq_lens, last_locs, owners: shape (bs,), see `TokenPool.alloc_extend`.
    Returns:
        int64, shape (sum(seq_lens - prefix_lens),).

    Raises:
        KvTokenOutOfMemory: page size 1.
        KvPrefillOutOfMemory: paged.
    """
    extend = int((np.asarray(seq_lens) - np.asarray(prefix_lens)).sum())
    rounding = len(seq_lens) * kv.page_size if kv.page_size > 1 else 0
    evict_for(tree, kv, extend + rounding)
    ids = kv.alloc_extend(prefix_lens, seq_lens, last_locs, owners)
    if ids is None:
        error = KvPrefillOutOfMemory if kv.page_size > 1 else KvTokenOutOfMemory
        raise error(extend, kv.available_size(), tree.evictable_size())
    return ids


def alloc_for_decode(tree: Tree, kv: Tokens, seq_lens: Ints, last_locs: Ints, owners: Ints) -> Ids:
    """One token id per running request, shape (bs,), int64.

    Raises:
        KvTokenOutOfMemory: page size 1.
        KvDecodeOutOfMemory: paged.
    """
    evict_for(tree, kv, len(seq_lens) * kv.page_size)
    ids = kv.alloc_decode(seq_lens, last_locs, owners)
    if ids is None:
        error = KvDecodeOutOfMemory if kv.page_size > 1 else KvTokenOutOfMemory
        raise error(len(seq_lens), kv.available_size(), tree.evictable_size())
    return ids


def alloc_for_decode_steps(
    tree: Tree, kv: Tokens, lengths: Ints, last_locs: Ints, owners: Ints, steps: int
) -> Ids:
    """Token ids of `steps` decode steps, shape (steps, bs), int64.

    Evicts what the steps one by one would have: each asks for a page per request, the last one
    when all pages of those before it are taken.

    Raises:
        KvTokenOutOfMemory, KvDecodeOutOfMemory: as `alloc_for_decode`.
    """
    lengths = np.asarray(lengths, np.int64)
    page, whole = kv.page_size, len(lengths)
    taken = int((-(-(lengths + steps - 1) // page) - -(-lengths // page)).sum())
    evict_for(tree, kv, (whole + taken) * page)
    ids = kv.alloc_decode_steps(lengths, last_locs, owners, steps)
    if ids is None:
        error = KvDecodeOutOfMemory if page > 1 else KvTokenOutOfMemory
        raise error(whole * steps, kv.available_size(), tree.evictable_size())
    return ids


def evict_for(tree: Tree, kv: Tokens, num_tokens: int) -> None:
    """Ask the tree for what is missing, and only then."""
    missing = num_tokens - kv.available_size()
    if missing > 0:
        tree.evict(missing)
