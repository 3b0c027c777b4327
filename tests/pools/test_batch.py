"""Owners and lengths of a call are looked at before anything is taken."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pools.errors import InvalidSize
from pools.kinds.kv_pages import KvPages
from pools.kinds.kv_tokens import KvTokens
from pools.kinds.request_slots import RequestSlots
from pools.structures.batch import OWNER_MAX, OWNER_MIN, batch_of, check_owner

KvKind = type[KvPages] | type[KvTokens]


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def untouched(pool: Any, call: Callable[[], object], match: str) -> None:
    """Refused, counted, and nothing of the pool has changed."""
    cells = pool.geometry()
    with pytest.raises(InvalidSize, match=match):
        call()
    pool.audit()
    assert pool.residual() == 0
    for field in ("state", "generation", "owner"):
        assert np.array_equal(getattr(pool.geometry(), field), getattr(cells, field))
    assert pool.snapshot(0.0).counters.raised_total == {"pool-invalid-size": 1}


def test_batch_comes_back_in_order_with_the_owners_last() -> None:
    batch = batch_of(np.array([7], np.int32), seq_lens=ints(5), last_locs=ints(8))
    assert [array.tolist() for array in batch] == [[5], [8], [7]]
    assert {array.dtype for array in batch} == {np.dtype(np.int64)}
    assert [array.size for array in batch_of(ints(), seq_lens=ints())] == [0, 0]


@pytest.mark.parametrize("owner", [OWNER_MIN, -2, -1, 0, OWNER_MAX])
def test_every_int32_is_an_owner(owner: int) -> None:
    check_owner(owner)
    assert batch_of(ints(3, owner))[-1].tolist() == [3, owner]


@pytest.mark.parametrize("owner", [OWNER_MIN - 1, OWNER_MAX + 1, 2**62])
def test_owner_beyond_int32_is_named(owner: int) -> None:
    with pytest.raises(InvalidSize, match=f"owner {owner} does not fit") as refused:
        batch_of(ints(3, owner))
    assert refused.value.numbers == {"owner": owner}


def test_lengths_that_differ_are_named() -> None:
    with pytest.raises(InvalidSize, match=r"seq_lens has shape \(1,\), owners has shape \(2,\)"):
        batch_of(ints(1, 2), seq_lens=ints(5))


@pytest.mark.parametrize("kind", [KvPages, KvTokens])
@pytest.mark.parametrize("checks", ["strict", "upstream"])
def test_kv_refuses_an_owner_beyond_int32(kind: KvKind, checks: Any) -> None:
    kv = kind.tiny(checks)
    untouched(kv, lambda: kv.alloc(8, 2**31), "owner 2147483648")


@pytest.mark.parametrize("kind", [KvPages, KvTokens])
@pytest.mark.parametrize(
    "batch",
    [
        (ints(0, 0), ints(8, 8), ints(-1, -1), ints(1)),
        (ints(0, 0), ints(8, 8), ints(-1, -1), ints(1, 2, 3)),
        (ints(0, 0), ints(8, 8), ints(-1), ints(1, 2)),
        (ints(0), ints(8, 8), ints(-1, -1), ints(1, 2)),
    ],
)
def test_extend_of_uneven_arrays_takes_nothing(kind: KvKind, batch: tuple[Any, ...]) -> None:
    kv = kind.tiny()
    untouched(kv, lambda: kv.alloc_extend(*batch), "one of each per request")


@pytest.mark.parametrize("kind", [KvPages, KvTokens])
@pytest.mark.parametrize(
    "batch", [(ints(1, 1), ints(-1, -1), ints(1)), (ints(1, 1), ints(-1), ints(1, 2))]
)
def test_decode_of_uneven_arrays_takes_nothing(kind: KvKind, batch: tuple[Any, ...]) -> None:
    kv = kind.tiny()
    untouched(kv, lambda: kv.alloc_decode(*batch), "one of each per request")


@pytest.mark.parametrize("kind", [KvPages, KvTokens])
@pytest.mark.parametrize("length", [0, -3])
def test_decode_to_no_length_is_refused(kind: KvKind, length: int) -> None:
    kv = kind.tiny()
    untouched(kv, lambda: kv.alloc_decode(ints(length), ints(6), ints(1)), "count the new token")


@pytest.mark.parametrize("owners", [[2**31], [1, 2**31], (1, -(2**31) - 1)])
@pytest.mark.parametrize("checks", ["strict", "upstream"])
def test_rows_refuse_an_owner_beyond_int32(owners: list[int], checks: Any) -> None:
    rows = RequestSlots.tiny(checks)
    untouched(rows, lambda: rows.alloc(len(owners), owners), "does not fit into int32")


def test_rows_take_owners_as_an_array() -> None:
    rows = RequestSlots.tiny()
    assert rows.alloc(2, np.array([4, 5])) == [7, 8]  # type: ignore[arg-type]
    assert rows.owner.tolist()[-2:] == [4, 5]


def test_upstream_rows_without_enough_owners_belong_to_nobody() -> None:
    rows = RequestSlots.tiny("upstream")
    assert rows.alloc(2, [4]) == [7, 8]
    assert rows.owner.tolist()[-2:] == [4, -1]
    rows.audit()


@pytest.mark.parametrize("steps", [0, -1])
def test_no_steps_are_refused(steps: int) -> None:
    kv = KvPages.tiny()
    untouched(
        kv, lambda: kv.alloc_decode_steps(ints(0), ints(-1), ints(1), steps), f"steps {steps}"
    )
