"""The fixed list of operations, the baselines written for it, and the last line of the report."""

from pathlib import Path

import pytest

from benchmarks import bench_growth, bench_pools, bench_snapshot, bench_stalls, pools_report
from benchmarks.figure import Figure
from benchmarks.op_pairs import PAIRS, SGLANG_ONLY
from benchmarks.ops import BESIDE, load
from benchmarks.peers.block_deque import BlockDeque
from benchmarks.peers.block_queue import BlockQueue
from benchmarks.peers.chosen import is_sglang
from benchmarks.peers.pages import Pages
from pools.kinds.kv_pages import KvPages

TINY = """
batches = [1, 3]
slots = 1024
page_size = 4
rows = 64
feature_mib = 256
feature_slots = 4096
op = []
"""


def test_list_names_pairs_that_are_there_and_leaves_none_out() -> None:
    ops = load()
    assert {op.pair for op in ops.ops} == set(PAIRS)
    assert ops.batches == (1, 32, 1024)
    assert ops.slots == 1_000_000
    assert set(BESIDE) | set(SGLANG_ONLY) <= set(PAIRS)


@pytest.mark.parametrize("pair", sorted(set(PAIRS) - set(SGLANG_ONLY)))
@pytest.mark.parametrize("staged", [False, True])
def test_pair_gives_back_what_it_took(pair: str, staged: bool, tmp_path: Path) -> None:
    file = tmp_path / "ops.toml"
    file.write_text(TINY)
    ops = load(file)
    op = next(op for op in load().ops if op.pair == pair)
    for batch in ops.batches:
        for call in PAIRS[pair](ops, type(op)(op.name, pair, staged), batch):
            for _ in range(2000 // batch // 4):
                call()


def test_list_with_a_key_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "ops.toml"
    file.write_text(TINY + "colour = 3\n")
    with pytest.raises(TypeError, match="colour"):
        load(file)


def test_staged_pages_answer_as_kv_pages() -> None:
    ours, peer = KvPages(80, 4, need_sort=True), Pages(80, 4, staged=True)
    for amount in (40, 80, 8, 76, 80):
        mine, theirs = ours.alloc(amount, 1), peer.alloc(amount)
        assert (mine is None) == (theirs is None)
        if mine is not None and theirs is not None:
            assert mine.tolist() == theirs.tolist()
            ours.free(mine)
            peer.free(theirs)


def test_queue_gives_the_block_that_was_freed_first() -> None:
    queue = BlockQueue(4)
    taken = queue.alloc(4)
    assert taken is not None
    assert queue.alloc(1) is None
    queue.free([taken[2]])
    queue.free([taken[0], taken[3]])
    again = queue.alloc(3)
    assert again is not None
    assert [block.block_id for block in again] == [2, 0, 3]
    assert queue.num_free == 0


def test_deque_gives_the_block_that_was_freed_first() -> None:
    blocks = BlockDeque(3)
    assert blocks.alloc(4) is None
    assert blocks.alloc(3) == [0, 1, 2]
    blocks.free([1, 0])
    assert blocks.alloc(2) == [0, 1]
    assert blocks.used_ids == {0, 1, 2}


def test_last_line_has_every_target_and_marks_the_missed_ones() -> None:
    figures = [
        Figure(bench_pools.MEAN, 9.0, "x", 8.0),
        Figure(bench_pools.WORST, 0.5, "x", 1.0),
        *(Figure(name, 700.0, "x", 500.0) for name in bench_stalls.NAMES),
        *(Figure(f"{bench_growth.PREFIX}{n}", n, "x", 1.5, "at most") for n in (1.2, 1.6)),
        *(Figure(name, 0.3, "ms", 1.0, "at most") for name in bench_snapshot.NAMES),
    ]
    assert pools_report.summary(figures) == (
        "geomean=9 worst=0.5:MISSED stalls=700,700,700 growth=1.6:MISSED snapshot_ms=0.3,0.3"
    )


def test_peers_are_the_plain_ones_without_sglang() -> None:
    if not is_sglang():
        from benchmarks.peers.chosen import peers

        assert peers().NAME.startswith("plain")
