"""Full and sliding-window KV in step: peers, windows that passed, shortages, misuse."""

import numpy as np
import pytest

from pools.base import Checks, Pool
from pools.errors import DoubleFree, ForeignIndex, InvalidSize, MemoryCorrupted
from pools.kinds.kv_pages import KvPages
from pools.kinds.kv_tokens import KvTokens
from pools.kinds.swa_pair import POOL, SwaPair
from pools.side_errors import SwaPoolTooSmall
from pools.structures.kv_buffers import KvBuffers
from pools.structures.swa_tokens import swa_tokens

PAGE, WINDOW = 4, 12


def build(pages: int = 16, swa_pages: int = 8, checks: Checks = "strict") -> SwaPair:
    full = KvPages(pages * PAGE, PAGE, checks=checks, name="full")
    swa = KvPages(swa_pages * PAGE, PAGE, checks=checks, name="swa")
    return SwaPair(full, swa, sliding_window_size=WINDOW, checks=checks)


def one(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def extend(pair: SwaPair, before: int, after: int, last: int = -1, owner: int = 1) -> np.ndarray:
    ids = pair.alloc_extend(one(before), one(after), one(last), one(owner))
    assert ids is not None
    return ids


def state(pair: SwaPair) -> tuple[object, ...]:
    pools = (pair.full, pair.swa)
    return (
        *(pool.geometry().state.tolist() for pool in pools),
        *(pool.available_size() for pool in pools),
        pair.translate(np.arange(pair.full.size + PAGE)).tolist(),
    )


def conserved(pair: SwaPair) -> None:
    pair.audit()
    shown = pair.snapshot(0.0)
    assert shown.available + shown.held + shown.leaked == shown.capacity
    assert pair.residual() == 0


def test_kind_keeps_the_protocol() -> None:
    assert isinstance(build(), Pool)
    assert POOL.KIND == "swa_pair"


def test_both_sides_page_in_step() -> None:
    pair = build()
    ids = extend(pair, 0, 10)
    peers = pair.translate(ids)
    assert (peers % PAGE == ids % PAGE).all()
    assert pair.swa.available_size() == 8 * PAGE - 12
    for length in (11, 12, 13):
        (token,) = pair.alloc_decode(one(length), ids[-1:], one(1)) or ()
        ids = np.append(ids, token)
    assert len(set(pair.translate(ids).tolist())) == 13
    assert pair.full.available_size() == 16 * PAGE - 16
    conserved(pair)


def test_window_that_passed_frees_the_peers_and_keeps_the_tokens() -> None:
    pair = build()
    ids = extend(pair, 0, 20)
    pair.free_swa(ids[:8])
    assert pair.translate(ids).tolist()[:8] == [0] * 8
    assert (pair.translate(ids)[8:] > 0).all()
    assert (pair.full.available_size(), pair.swa.available_size()) == (44, 20)
    conserved(pair)
    pair.free(ids)
    assert (pair.full.available_size(), pair.swa.available_size()) == (64, 32)
    conserved(pair)


def test_either_side_can_bind() -> None:
    pair = build(pages=16, swa_pages=5)
    ids = extend(pair, 0, 20)
    assert pair.available_size() == 0
    assert pair.alloc_extend(one(0), one(1), one(-1), one(2)) is None
    assert pair.snapshot(0.0).counters.failures_total == {"no_swa": 1}
    pair.free_swa(ids[:16])
    assert pair.available_size() == 16
    other = build(pages=5, swa_pages=8)
    extend(other, 0, 20)
    assert other.alloc(PAGE, 2) is None
    assert other.snapshot(0.0).counters.failures_total == {"no_full": 1}


def test_decode_that_one_side_cannot_follow_takes_nothing() -> None:
    pair = build(pages=16, swa_pages=5)
    ids = extend(pair, 0, 20)
    before = state(pair)
    assert pair.alloc_decode(one(21), ids[-1:], one(1)) is None
    assert state(pair) == before
    conserved(pair)


def test_upstream_decode_loses_the_full_side() -> None:
    pair = build(pages=16, swa_pages=5, checks="upstream")
    ids = extend(pair, 0, 20)
    assert pair.alloc_decode(one(21), ids[-1:], one(1)) is None
    assert pair.full.available_size() == (16 - 6) * PAGE, "a page without a holder's knowledge"


def test_page_size_one() -> None:
    full, swa = KvTokens(32), KvTokens(16, name="swa")
    pair = SwaPair(full, swa, sliding_window_size=8)
    ids = pair.alloc(5, 1)
    assert ids is not None
    assert pair.translate(ids).tolist() == [1, 2, 3, 4, 5]
    pair.free_swa(ids[:2])
    more = pair.alloc(1, 1)
    assert more is not None
    assert pair.translate(np.append(ids, more)).tolist() == [0, 0, 3, 4, 5, 6]
    assert pair.translate(one(-1)).tolist() == [-1]
    pair.free(ids)
    conserved(pair)


def test_misuse_changes_neither_pool() -> None:
    pair = build()
    ids = extend(pair, 0, 20)
    pair.free_swa(ids[:4])
    before = state(pair)
    for call, error in (
        (lambda: pair.free_swa(ids[:4]), DoubleFree),
        (lambda: pair.free_swa(ids[:8]), DoubleFree),
        (lambda: pair.free_swa(one(0)), ForeignIndex),
        (lambda: pair.free(one(-1)), ForeignIndex),
        (lambda: pair.free(one(17 * PAGE)), ForeignIndex),
        (lambda: pair.free(one(16 * PAGE)), DoubleFree),
        (lambda: pair.free(np.append(ids, ids[:1])), DoubleFree),
        (lambda: pair.alloc(-4, 1), InvalidSize),
        (lambda: pair.alloc(3, 1), InvalidSize),
        (lambda: extend(pair, 5, 4), InvalidSize),
        (lambda: extend(pair, 3, 4, last=int(ids[2])), ForeignIndex),
        (lambda: extend(pair, 19, 20, last=int(ids[18]), owner=9), ForeignIndex),
        (lambda: pair.alloc_decode(one(0), one(0), one(1)), InvalidSize),
    ):
        with pytest.raises(error):
            call()
        assert state(pair) == before
    conserved(pair)


def test_overwritten_window_is_found_before_anything_is_freed() -> None:
    full = KvPages(64, PAGE, name="full")
    swa = KvPages(32, PAGE, buffers=KvBuffers(36), name="swa")
    pair = SwaPair(full, swa, sliding_window_size=WINDOW)
    ids = extend(pair, 0, 8)
    swa.stamp(pair.translate(ids), 1, 1, 0)
    assert swa.buffers is not None
    swa.buffers.k[0][int(pair.translate(ids)[5])] = 3
    before = state(pair)
    with pytest.raises(MemoryCorrupted):
        pair.free(ids)
    assert state(pair) == before


def test_window_and_a_page_must_fit() -> None:
    full = KvPages(64, PAGE)
    with pytest.raises(SwaPoolTooSmall) as caught:
        SwaPair(full, KvPages(16, PAGE), sliding_window_size=12)
    assert caught.value.numbers == {"swa_tokens": 16, "sliding_window_size": 12, "page_size": 4}
    SwaPair(full, KvPages(20, PAGE), sliding_window_size=12)
    with pytest.raises(InvalidSize, match="pages must be equal"):
        SwaPair(full, KvPages(64, 8), sliding_window_size=12)
    for window in (0, -1):
        with pytest.raises(InvalidSize, match="window"):
            SwaPair(full, KvPages(64, PAGE), sliding_window_size=window)


def test_sizes_from_the_ratio() -> None:
    assert swa_tokens(1000, 0.8, 16) == 800
    assert swa_tokens(1001, 0.8, 16) == 800
    assert swa_tokens(1010, 0.8, 16) == 816
    for ratio in (0, -0.1, 1.1):
        with pytest.raises(InvalidSize, match="ratio"):
            swa_tokens(1000, ratio, 16)


def test_clear_under_live_holders() -> None:
    pair = build()
    ids = extend(pair, 0, 20)
    pair.clear()
    conserved(pair)
    assert pair.available_size() == 32
    with pytest.raises(DoubleFree):
        pair.free(ids)
    with pytest.raises(DoubleFree):
        pair.free_swa(ids)


def test_random_traffic_stays_conserved() -> None:
    rng = np.random.default_rng(3)
    pair = build(pages=40, swa_pages=16)
    running: dict[int, tuple[np.ndarray, int]] = {}
    for step in range(800):
        dice = rng.random()
        if dice < 0.4:
            got = pair.alloc_extend(one(0), one(rng.integers(1, 30)), one(-1), one(step))
            if got is not None:
                running[step] = (got, 0)
        elif running:
            rid = int(rng.choice(list(running)))
            ids, gone = running[rid]
            if dice < 0.7:
                got = pair.alloc_decode(one(len(ids) + 1), ids[-1:], one(rid))
                ids = ids if got is None else np.append(ids, got)
            passed = max(0, (len(ids) - WINDOW) // PAGE * PAGE)
            if passed > gone:
                pair.free_swa(ids[gone:passed])
                gone = passed
            running[rid] = (ids, gone)
            if dice > 0.9:
                pair.free(running.pop(rid)[0])
        if step % 40 == 0:
            conserved(pair)
    for ids, _ in running.values():
        pair.free(ids)
    conserved(pair)
    assert (pair.full.available_size(), pair.swa.available_size()) == (160, 64)
