"""The plain peers, where SGLang's own classes are not installed."""

from collections.abc import Callable

import torch

from benchmarks.peers.features import Features
from benchmarks.peers.host import HostSlots
from benchmarks.peers.pages import Pages
from benchmarks.peers.peer import Peer
from benchmarks.peers.rows import Rows
from benchmarks.peers.tokens import Tokens
from benchmarks.peers.tree import Leaves


class PlainPeers:
    """See `Peers`."""

    NAME = "plain pools of SGLang's growth"

    def rows(self, size: int) -> Peer:
        """Request rows."""
        pool = Rows(size)
        return Peer(pool.alloc, pool.free)

    def tokens(self, size: int, *, staged: bool) -> Peer:
        """Token ids."""
        pool = Tokens(size, staged=staged)
        return Peer(pool.alloc, pool.free)

    def pages(self, size: int, page_size: int, *, staged: bool) -> Peer:
        """Token ids of whole pages."""
        pool = Pages(size, page_size, staged=staged)
        return Peer(pool.alloc, pool.free)

    def host(self, size: int, page_size: int) -> Peer:
        """Host slots."""
        pool = HostSlots(size)
        return Peer(pool.alloc, pool.free)

    def features(self, nbytes: int, num_slots: int) -> Peer:
        """Leases of byte ranges."""
        pool = Features(nbytes, num_slots)
        return Peer(pool.lease, pool.release, pool.merge)

    def leaves(self, keys: torch.Tensor) -> Callable[[int], object]:
        """A leaf per key."""
        tree = Leaves()
        for at in range(len(keys)):
            tree.insert(float(at), keys.shape[1])
        return tree.evict
