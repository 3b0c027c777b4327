"""One alloc and one free at steady state, ours against SGLang's classes or plain ones.

Ours does more in the same time: strict checks, and a state, an owner and a generation per cell,
which is also all that is needed to be watched. The list is ops.toml.
"""

from collections.abc import Callable, Iterator

from benchmarks.figure import Figure, geometric_mean, short_time
from benchmarks.op_pairs import OWNER, PAIRS, SGLANG_ONLY, some, whole
from benchmarks.ops import BESIDE, load
from benchmarks.peers.chosen import is_sglang, peers
from benchmarks.timing import medians
from pools.kinds.kv_pages import KvPages
from pools.structures.kv_buffers import KvBuffers

LEAST_MEAN, LEAST_WORST = 8.0, 1.0
MEAN, WORST = "geometric mean of all pairs", "worst pair"


def bench() -> Iterator[Figure]:
    """A figure per operation and batch, their mean and worst, and what the memory check costs."""
    ops = load()
    ratios = []
    for op in ops.ops:
        if op.pair in SGLANG_ONLY and not is_sglang():
            continue
        for batch in ops.batches:
            ours, peer = medians(*PAIRS[op.pair](ops, op, batch))
            beside = op.pair in BESIDE
            target = None if beside else LEAST_WORST
            note = f"{short_time(ours)} against {short_time(peer)}"
            yield Figure(f"{op.name}, {batch}", peer / ours, "x", target, note=note)
            if not beside:
                ratios.append(peer / ours)
    yield Figure(MEAN, geometric_mean(ratios), "x", LEAST_MEAN, note=f"against {peers().NAME}")
    yield Figure(WORST, min(ratios), "x", LEAST_WORST)
    yield from memory_check()


def memory_check() -> Iterator[Figure]:
    """What stamping every token and reading it back adds to an alloc and a free."""
    for batch in load().batches:
        plain, checked = medians(
            stamped_pages(batch, check=False), stamped_pages(batch, check=True)
        )
        note = f"{short_time(checked)} against {short_time(plain)}"
        yield Figure(f"kv_pages with memory check, {batch}", checked / plain, "x", note=note)


def stamped_pages(batch: int, *, check: bool) -> Callable[[], None]:
    """Alloc, write and free of whole pages over real buffers."""
    ops = load()
    size, page = ops.page_slots, ops.page_size
    pool = KvPages(size, page, buffers=KvBuffers(size + page, memory_check=check))
    need = whole(batch, page)

    def use() -> None:
        ids = some(pool.alloc(need, OWNER))
        if check:
            pool.stamp(ids, 3, 1, 0)
        pool.free(ids)

    return use


BENCH = bench
