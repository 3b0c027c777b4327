"""Ours and a peer, both brought to steady state, as two calls that alloc and free the same."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
import torch

from benchmarks.ops import Op, Ops
from benchmarks.peers.block_deque import BlockDeque
from benchmarks.peers.block_queue import BlockQueue
from benchmarks.peers.chosen import peers
from pools.kinds.host_logical import HostLogical
from pools.kinds.kv_pages import KvPages
from pools.kinds.kv_tokens import KvTokens
from pools.kinds.mm_feature import MmFeature
from pools.kinds.request_slots import RequestSlots

OWNER, HOLES, HOLE_BYTES = 7, 1024, 64 << 10
#: a block of nano-vllm's
DEQUE_BLOCK = 256

Call = Callable[[], object]
Given = TypeVar("Given")


def rows(ops: Ops, op: Op, batch: int) -> tuple[Call, Call]:
    """Rows of the request table, half of them taken."""
    ours, peer = RequestSlots(ops.rows, 1), peers().rows(ops.rows)
    ours.alloc(ops.rows // 2)
    peer.alloc(ops.rows // 2)
    return lambda: ours.free(some(ours.alloc(batch))), lambda: peer.free(some(peer.alloc(batch)))


def tokens(ops: Ops, op: Op, batch: int) -> tuple[Call, Call]:
    """Single tokens; half of the pool is taken, and what is free lies in shuffled order.

    Staged, half of what is free waits for the next sort, as it does on average between two.
    """
    size = ops.slots
    ours = KvTokens(size, need_sort=op.staged)
    peer = peers().tokens(size, staged=op.staged)
    taken = some(ours.alloc(size, OWNER))
    back = np.random.default_rng(0).permutation(taken)[: size // 2]
    ours.free(back)
    lent = some(peer.alloc(size))
    peer.free(lent[torch.from_numpy(back - 1)])
    if op.staged:
        ours.free(some(ours.alloc(size // 4, OWNER)))
        peer.free(some(peer.alloc(size // 4)))
    return (
        lambda: ours.free(some(ours.alloc(batch, OWNER))),
        lambda: peer.free(some(peer.alloc(batch))),
    )


def pages(ops: Ops, op: Op, batch: int) -> tuple[Call, Call]:
    """Whole pages; half of the pool is taken. Staged, half of the rest waits for the next sort."""
    size, page = ops.page_slots, ops.page_size
    ours = KvPages(size, page, need_sort=op.staged)
    peer = peers().pages(size, page, staged=op.staged)
    half, need = whole(size // 2, page), whole(batch, page)
    ours.alloc(half, OWNER)
    peer.alloc(half)
    if op.staged:
        quarter = whole(size // 4, page)
        ours.free(some(ours.alloc(quarter, OWNER)))
        peer.free(some(peer.alloc(quarter)))
    return (
        lambda: ours.free(some(ours.alloc(need, OWNER))),
        lambda: peer.free(some(peer.alloc(need))),
    )


def extend(ops: Ops, op: Op, batch: int) -> tuple[Call, Call]:
    """A new prompt of so many tokens, and the free of its row's segment."""
    size, page = ops.page_slots, ops.page_size
    ours, peer = KvPages(size, page), peers().pages(size, page, staged=False).more
    half = whole(size // 2, page)
    ours.alloc(half, OWNER)
    peer.alloc(half)
    zero, length, before, owner = (np.array([n]) for n in (0, batch, -1, OWNER))
    start, end, last = (torch.from_numpy(array) for array in (zero, length, before))

    def ours_call() -> None:
        ours.free_segment(some(ours.alloc_extend(zero, length, before, owner)))

    def peer_call() -> None:
        ids = some(peer.alloc_extend(start, start, end, end, last, batch))
        peer.free_segment(ids, start_pos=0)

    return ours_call, peer_call


def decode(ops: Ops, op: Op, batch: int) -> tuple[Call, Call]:
    """One token for each of so many requests at a page's end, and the free of the new pages."""
    size, page = ops.page_slots, ops.page_size
    ours, peer = KvPages(size, page), peers().pages(size, page, staged=False).more
    half = whole(size // 2, page)
    ours.alloc(half, OWNER)
    peer.alloc(half)
    owners, lengths = np.arange(batch), np.full(batch, page + 1)
    before = np.arange(batch) * page + 2 * page - 1
    end, last = torch.from_numpy(lengths), torch.from_numpy(before)
    return (
        lambda: ours.free(some(ours.alloc_decode(lengths, before, owners))),
        lambda: peer.free(some(peer.alloc_decode(end, end, last))),
    )


def host(ops: Ops, op: Op, batch: int) -> tuple[Call, Call]:
    """Host slots in whole pages; half of the pool is taken."""
    size, page = ops.page_slots, ops.page_size
    ours, peer = HostLogical(size, page), peers().host(size, page)
    half, need = whole(size // 2, page), whole(batch, page)
    ours.alloc(half)
    peer.alloc(half)
    return lambda: ours.free(some(ours.alloc(need))), lambda: peer.free(some(peer.alloc(need)))


def features(ops: Ops, op: Op, batch: int) -> tuple[Call, Call]:
    """Leases of 16 to 64 KiB among 1,024 holes, and the pass that joins neighbours."""
    ours = MmFeature(ops.feature_mib << 20, 1, num_slots=ops.feature_slots)
    peer = peers().features(ours.capacity, ops.feature_slots)
    taken = [some(ours.lease(HOLE_BYTES, 0.0)) for _ in range(2 * HOLES)]
    lent = [some(peer.alloc(HOLE_BYTES)) for _ in range(2 * HOLES)]
    for at in range(0, 2 * HOLES, 2):
        ours.release(taken[at])
        peer.free(lent[at])
    ours.space.merge()
    peer.merge()
    sizes = np.random.default_rng(1).integers(16 << 10, HOLE_BYTES, batch).tolist()

    def ours_call() -> None:
        for lease in [some(ours.lease(size, 0.0)) for size in sizes]:
            ours.release(lease)
        ours.space.merge()

    def peer_call() -> None:
        for lease in [some(peer.alloc(size)) for size in sizes]:
            peer.free(lease)
        peer.merge()

    return ours_call, peer_call


def block_queue(ops: Ops, op: Op, batch: int) -> tuple[Call, Call]:
    """Blocks of the same size and number."""
    return _blocks(ops, batch, ops.page_size, BlockQueue(ops.slots // ops.page_size))


def block_deque(ops: Ops, op: Op, batch: int) -> tuple[Call, Call]:
    """The same in that server's larger blocks."""
    return _blocks(ops, batch, DEQUE_BLOCK, BlockDeque(ops.slots // DEQUE_BLOCK))


def _blocks(ops: Ops, batch: int, page: int, peer: BlockQueue | BlockDeque) -> tuple[Call, Call]:
    size = ops.slots // page * page
    ours, need = KvPages(size, page), whole(batch, page)
    ours.alloc(whole(size // 2, page), OWNER)
    peer.alloc(size // 2 // page)
    alloc: Callable[[int], Any] = peer.alloc
    free: Callable[[Any], object] = peer.free
    count = need // page
    return lambda: ours.free(some(ours.alloc(need, OWNER))), lambda: free(some(alloc(count)))


def whole(tokens: int, page: int) -> int:
    """Tokens rounded up to whole pages."""
    return -(-tokens // page) * page


def some(given: Given | None) -> Given:
    """What a pool gave, which must be something: a benchmark of refusals measures nothing."""
    if given is None:
        raise RuntimeError("a pool of the benchmark ran out")
    return given


PAIRS: dict[str, Callable[[Ops, Op, int], tuple[Call, Call]]] = {
    pair.__name__: pair
    for pair in (rows, tokens, pages, extend, decode, host, features, block_queue, block_deque)
}
#: pairs that the plain peers have no calls for
SGLANG_ONLY = ("extend", "decode")
