"""The plain peers answer as our pools do: a ratio between different answers would mean nothing."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.peers.features import Features
from benchmarks.peers.host import HostSlots
from benchmarks.peers.pages import Pages
from benchmarks.peers.rows import Rows
from benchmarks.peers.tokens import Tokens
from benchmarks.sample_trace import write_sample
from pools.kinds.host_logical import HostLogical
from pools.kinds.kv_pages import KvPages
from pools.kinds.kv_tokens import KvTokens
from pools.kinds.mm_feature import MmFeature
from pools.kinds.request_slots import RequestSlots

#: (how many to alloc, or minus the turn to free)
OPERATIONS = st.lists(st.integers(-4, 9), max_size=40)
OWNER = 3


def same_answers(
    operations: Sequence[int],
    alloc: Callable[[int], tuple[Any, Any]],
    free: Callable[[Any, Any], None],
) -> None:
    """Alloc and free on both sides; every answer must be the same ids in the same order."""
    held: list[tuple[Any, Any]] = []
    for number in operations:
        if number > 0:
            ours, peer = alloc(number)
            assert (ours is None) == (peer is None)
            if ours is not None:
                assert np.asarray(ours).tolist() == np.asarray(peer).tolist()
                held.append((ours, peer))
        elif held:
            free(*held.pop(-number % len(held)))


def as_tensor(ids: Any) -> torch.Tensor:
    return torch.from_numpy(np.asarray(ids, np.int64))


@given(OPERATIONS)
def test_rows_answer_as_request_slots(operations: list[int]) -> None:
    ours, peer = RequestSlots(12, 1), Rows(12)

    def free(mine: Any, theirs: Any) -> None:
        ours.free(mine)
        peer.free(theirs)

    same_answers(operations, lambda n: (ours.alloc(n), peer.alloc(n)), free)


@pytest.mark.parametrize("staged", [False, True])
@given(operations=OPERATIONS)
def test_tokens_answer_as_kv_tokens(staged: bool, operations: list[int]) -> None:
    ours, peer = KvTokens(20, need_sort=staged), Tokens(20, staged=staged)

    def free(mine: Any, theirs: Any) -> None:
        ours.free(mine)
        peer.free(theirs)

    same_answers(operations, lambda n: (ours.alloc(n, OWNER), peer.alloc(n)), free)


@given(OPERATIONS)
def test_pages_answer_as_kv_pages(operations: list[int]) -> None:
    ours, peer = KvPages(80, 4), Pages(80, 4)

    def free(mine: Any, theirs: Any) -> None:
        ours.free(mine)
        peer.free(theirs)

    same_answers(operations, lambda n: (ours.alloc(4 * n, OWNER), peer.alloc(4 * n)), free)


@given(OPERATIONS)
def test_host_slots_answer_as_host_logical(operations: list[int]) -> None:
    ours, peer = HostLogical(80, 4), HostSlots(80)

    def free(mine: Any, theirs: Any) -> None:
        ours.free(mine)
        peer.free(theirs)

    same_answers(operations, lambda n: (ours.alloc(4 * n), peer.alloc(4 * n)), free)


@given(OPERATIONS, st.booleans())
def test_features_lease_the_ranges_that_mm_feature_does(operations: list[int], merge: bool) -> None:
    ours = MmFeature.tiny()
    begin = ours.layout.data_start
    peer = Features(ours.capacity, 8)

    def alloc(number: int) -> tuple[Any, Any]:
        return ours.lease(300 * number, 0.0), peer.lease(300 * number)

    held: list[tuple[Any, Any]] = []
    for number in operations:
        if number > 0:
            mine, theirs = alloc(number)
            assert (mine is None) == (theirs is None)
            if mine is not None:
                found = (mine.slot, mine.generation, mine.start - begin)
                assert found == (theirs.slot, theirs.generation, theirs.start)
                held.append((mine, theirs))
        elif held:
            mine, theirs = held.pop(-number % len(held))
            ours.release(mine)
            peer.release(theirs)
            if merge:
                ours.space.merge()
                peer.merge()


def test_sample_trace_is_one_that_the_reader_takes(tmp_path: Any) -> None:
    from app.traces.reader import read_trace

    write_sample(tmp_path / "sample.jsonl", 40)
    trace = read_trace(tmp_path / "sample.jsonl")
    assert (trace.info.requests, trace.info.rows_dropped) == (40, {})
    assert trace.info.has_prefix_info
