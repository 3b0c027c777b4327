"""Host slots: order, alignment before capacity, and what each check mode makes of misuse."""

from typing import Any

import numpy as np
import pytest

from pools.errors import (
    DoubleFree,
    ForeignIndex,
    HostAllocUnaligned,
    HostFreeUnaligned,
    HostSizeUnaligned,
    IntegrityError,
    InvalidSize,
)
from pools.kinds.host_logical import HostLogical
from pools.snapshot import AVAILABLE, HELD


def taken(host: HostLogical, size: int) -> np.ndarray:
    ids = host.alloc(size)
    assert ids is not None
    return ids


def test_slots_begin_at_zero_without_padding() -> None:
    host = HostLogical(256, 64)
    assert taken(host, 128).tolist() == list(range(128))
    assert taken(host, 128).tolist() == list(range(128, 256))
    assert (host.alloc(64), host.available_size()) == (None, 0)
    assert host.snapshot(0.0).counters.failures_total == {"no_tokens": 1}


def test_released_slots_wait_until_a_call_runs_short() -> None:
    host = HostLogical(16, 4)
    first, second = taken(host, 4), taken(host, 4)
    host.free(second)
    host.free(first)
    assert host.available_size() == 16
    assert taken(host, 4).tolist() == [8, 9, 10, 11]
    assert taken(host, 8).tolist() == [12, 13, 14, 15, 4, 5, 6, 7]
    assert taken(host, 4).tolist() == [0, 1, 2, 3]


def test_free_says_how_many() -> None:
    host = HostLogical.tiny()
    ids = taken(host, 12)
    assert host.free(ids[4:]) == 8
    assert host.free(ids[:0]) == 0
    assert host.snapshot(0.0).counters.frees_total == 1


@pytest.mark.parametrize("checks", ["strict", "upstream"])
def test_alignment_is_tested_before_capacity(checks: Any) -> None:
    host = HostLogical.tiny(checks)
    with pytest.raises(HostAllocUnaligned) as alloc:
        host.alloc(65)
    assert str(alloc.value) == (
        "LogicalHostPool allocation must be page-aligned, got need_size=65, page_size=4"
    )
    with pytest.raises(HostFreeUnaligned) as free:
        host.free(np.arange(10))
    assert str(free.value) == (
        "LogicalHostPool free must be page-aligned, got len(indices)=10, page_size=4"
    )
    assert (host.available_size(), host.residual()) == (64, 0)
    raised = {"logical-host-alloc-unaligned": 1, "logical-host-free-unaligned": 1}
    assert host.snapshot(0.0).counters.raised_total == raised


def test_size_must_be_whole_pages() -> None:
    with pytest.raises(HostSizeUnaligned, match="got size=63, page_size=4"):
        HostLogical(63, 4)
    for size, page in ((0, 4), (-4, 4), (4, 0)):
        with pytest.raises(InvalidSize):
            HostLogical(size, page)


@pytest.mark.parametrize(
    ("ids", "error", "text"),
    [
        ([0, 1, 2, 3], DoubleFree, "slot 0 is free already; 4 of 4"),
        ([8, 9, 10, 20], DoubleFree, "slot 20 is free already; 1 of 4"),
        ([8, 9, 9, 10], DoubleFree, "slot 9 is named twice in one free; 1 of 4"),
        ([8, 9, 10, 64], ForeignIndex, r"slot 64 is not in 0\.\.63; 1 of 4"),
        ([-1, 8, 9, 10], ForeignIndex, r"slot -1 is not in 0\.\.63"),
    ],
)
def test_strict_names_what_cannot_be_freed(ids: list[int], error: type[Any], text: str) -> None:
    host = HostLogical.tiny()
    host.free(taken(host, 12)[:8])
    with pytest.raises(error, match=text):
        host.free(np.array(ids))
    assert (host.available_size(), host.residual()) == (60, 0)
    host.audit()
    assert host.snapshot(0.0).counters.raised_total == {error.code: 1}


def test_strict_refuses_a_negative_size() -> None:
    with pytest.raises(InvalidSize, match="need_size -64"):
        HostLogical(256, 64).alloc(-64)


def test_upstream_takes_a_negative_size_as_a_slice() -> None:
    host = HostLogical(256, 64, checks="upstream")
    assert taken(host, -64).tolist() == list(range(192))
    assert (host.available_size(), host.residual()) == (64, 0)
    assert taken(host, -128).tolist() == []


def test_upstream_counts_both_holders_of_a_slot_freed_twice() -> None:
    host = HostLogical(256, 64, checks="upstream")
    ids = taken(host, 128)
    host.free(ids)
    host.free(ids)
    assert (host.available_size(), host.residual()) == (384, -128)
    everything = taken(host, 384)
    assert len(set(everything.tolist())) == 256
    assert host.snapshot(0.0).held == 384
    host.free(everything[:256])
    assert host.residual() == -128
    assert HELD in host.state
    host.free(everything[256:])
    assert (host.available_size(), host.residual()) == (384, -128)
    assert set(host.state.tolist()) == {AVAILABLE}
    host.clear()
    assert (host.available_size(), host.residual()) == (256, 0)


def test_upstream_accepts_foreign_slots_and_shows_them() -> None:
    host = HostLogical(256, 64, checks="upstream")
    assert host.free(np.arange(1000, 1064)) == 64
    assert (host.available_size(), host.residual()) == (320, -64)
    everything = taken(host, 320)
    assert everything.max() == 1063
    assert (host.snapshot(0.0).held, host.residual()) == (320, -64)
    host.free(everything)
    assert (host.snapshot(0.0).held, host.residual()) == (0, -64)


def test_page_is_held_while_any_slot_of_it_is() -> None:
    host = HostLogical.tiny()
    ids = taken(host, 8)
    host.free(ids[[0, 1, 4, 5]])
    assert host.state[:3].tolist() == [HELD, HELD, AVAILABLE]
    host.free(ids[[2, 3, 6, 7]])
    assert set(host.state.tolist()) == {AVAILABLE}
    host.audit()


@pytest.mark.parametrize(
    ("spoil", "text"),
    [
        (lambda host: host._free.append(np.array([70])), "no slots: kept 1"),
        (lambda host: host._free.append(np.array([20])), "more than once: kept 1"),
        (lambda host: host._free.append(np.array([0])), "free by list but not by bit: kept 1"),
        (lambda host: host._free.take(4), "free by bit but not by list: kept 4"),
        (lambda host: setattr(host._book, "held", 9), "held slots: kept 9, counted 8"),
        (lambda host: host.state.fill(AVAILABLE), "state differs: kept 2"),
        (lambda host: host._book._held_in_page.fill(1), "count differs: kept 16"),
    ],
)
def test_audit_names_the_book_that_differs(spoil: Any, text: str) -> None:
    host = HostLogical.tiny()
    taken(host, 8)
    host.audit()
    spoil(host)
    with pytest.raises(IntegrityError, match=text):
        host.audit()
    assert host.snapshot(0.0).counters.raised_total == {"pool-integrity-broken": 1}
