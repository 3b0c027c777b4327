"""SGLang 0.5.23's own classes as peers; see `tests.conformance.upstream` for how they import."""

import importlib
from array import array
from collections.abc import Callable
from typing import Any

import torch

from benchmarks.peers.peer import Peer


class SglangPeers:
    """See `Peers`."""

    NAME = "SGLang 0.5.23's own classes"

    def __init__(self) -> None:
        """Import them.

        Raises:
            ImportError: they are not installed here.
        """
        self._classes: Any = importlib.import_module("tests.conformance.upstream").classes()

    def rows(self, size: int) -> Peer:
        """Request rows."""
        pool = self._classes.ReqToToken(size, 1, "cpu", False)
        return Peer(pool.alloc_rows, pool.free_rows)

    def tokens(self, size: int, *, staged: bool) -> Peer:
        """Token ids."""
        pool = self._classes.Token(size, torch.float16, "cpu", None, staged)
        return Peer(pool.alloc, pool.free)

    def pages(self, size: int, page_size: int, *, staged: bool) -> Peer:
        """Token ids of whole pages."""
        pool = self._classes.Paged(size, page_size, torch.float16, "cpu", None, staged)
        return Peer(pool.alloc, pool.free, more=pool)

    def host(self, size: int, page_size: int) -> Peer:
        """Host slots."""
        pool = self._classes.LogicalHost(size, page_size)
        return Peer(pool.alloc, pool.free)

    def features(self, nbytes: int, num_slots: int) -> Peer:
        """Leases of byte ranges, with a control word per slot in front."""
        make = importlib.import_module("tests.conformance.cuda_stand_in").feature_pool
        pool = make(nbytes + -(-num_slots * 8 // 256) * 256, 1, num_slots)
        return Peer(pool._allocate_locked, pool._release_locked, pool._merge_ranges_locked)

    def leaves(self, keys: torch.Tensor) -> Callable[[int], object]:
        """The Python `RadixCache` over a token allocator."""
        own = self._classes
        kv = own.Token(2 * keys.numel(), torch.float16, "cpu", None, False)
        tree = own.RadixCache(
            own.CacheInitParams(
                disable=False,
                req_to_token_pool=None,
                token_to_kv_pool_allocator=kv,
                page_size=1,
                eviction_policy="lru",
            )
        )
        for key in keys.tolist():
            value = kv.alloc(len(key))
            tree.insert(own.InsertParams(key=own.RadixKey(array("q", key)), value=value))
        return lambda tokens: tree.evict(own.EvictParams(num_tokens=tokens))
