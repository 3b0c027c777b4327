"""What the catalog says helps or does not help, run on real pools.

Each cause is set up as it arises (rows held by sessions, a leaked row, a worn slot, a caller with a
raw length); the advice is then taken, and the same requests are offered again.
"""

from dataclasses import replace

import numpy as np
import pytest

from app.sizing.plan import resolve
from app.sizing.server_args import ServerArgs
from pools.allocation import alloc_req_slots
from pools.errors import HostAllocUnaligned, ReqSlotsExhausted
from pools.kinds.host_logical import HostLogical
from pools.kinds.request_slots import RequestSlots

CONTEXTS = (4_096, 8_192, 32_768, 131_072)
#: sizes are only computed here, nothing is allocated
SIZING = replace(ServerArgs(), memory_budget_bytes=1 << 45)
SESSIONS, BATCH = 40, 12


def rows_of(requests: int | None, context: int, tokens: int = 1 << 20) -> int:
    args = replace(
        SIZING,
        max_running_requests=requests,
        context_length=context,
        max_total_tokens=tokens,
    )
    return resolve(args).rows


def held_by_sessions(rows: int) -> tuple[RequestSlots, list[int]]:
    slots = RequestSlots(rows, 64)
    held = slots.alloc(SESSIONS, range(SESSIONS))
    assert held is not None
    return slots, held


# alloc-req-slots-exhausted


def test_context_length_adds_no_rows() -> None:
    assert [rows_of(256, context) for context in CONTEXTS] == [256] * 4
    by_default = [rows_of(None, context, 400_000) for context in CONTEXTS]
    assert by_default == [4_096, 4_096, 4_096, 2_048]
    assert by_default == sorted(by_default, reverse=True)


def test_context_length_only_widens_rows() -> None:
    short, long = (
        resolve(replace(SIZING, context_length=context)).modelled_table_bytes
        for context in (4_096, 8_192)
    )
    assert long - short == (256 + 1) * 4_096 * 4


def test_fewer_requests_with_longer_context_is_a_smaller_pool() -> None:
    assert (rows_of(1_024, 4_096), rows_of(256, 8_192)) == (1_024, 256)


def test_lowering_the_limit_leaves_a_leaked_row_missing() -> None:
    for limit in (256, 64, 8, 2, 1):
        slots = RequestSlots(rows_of(limit, 4_096), 64)
        (row,) = slots.alloc(1) or []
        slots.disown(row)
        with pytest.raises(ReqSlotsExhausted) as raised:
            alloc_req_slots(slots, limit, range(limit))  # a gate that admits up to the flag
        assert raised.value.numbers == {"available_size": limit - 1, "num_reqs": limit}


def test_the_printed_number_is_no_size_to_set() -> None:
    slots, _ = held_by_sessions(SESSIONS + 1)
    with pytest.raises(ReqSlotsExhausted) as raised:
        alloc_req_slots(slots, 2, range(2))
    printed = int(raised.value.numbers["available_size"])
    assert printed == 1
    smaller = RequestSlots(printed, 64)
    assert smaller.alloc(SESSIONS) is None


def test_more_rows_than_sessions_hold() -> None:
    slots, _ = held_by_sessions(48)
    with pytest.raises(ReqSlotsExhausted):
        alloc_req_slots(slots, BATCH, range(BATCH))
    raised, _ = held_by_sessions(rows_of(104, 4_096))
    assert len(alloc_req_slots(raised, BATCH, range(BATCH))) == BATCH


def test_more_rows_only_last_longer_when_rows_leak() -> None:
    def batches_until_exhausted(rows: int) -> int:
        slots = RequestSlots(rows, 64)
        for done in range(1_000):
            try:
                first, *rest = alloc_req_slots(slots, BATCH, range(BATCH))
            except ReqSlotsExhausted:
                return done
            slots.free(rest)
            slots.disown(first)
        return 1_000

    assert (batches_until_exhausted(48), batches_until_exhausted(104)) == (37, 93)


def test_ending_the_sessions_frees_their_rows() -> None:
    slots, held = held_by_sessions(48)
    with pytest.raises(ReqSlotsExhausted):
        alloc_req_slots(slots, BATCH, range(BATCH))
    slots.free(held)
    assert len(alloc_req_slots(slots, BATCH, range(BATCH))) == BATCH


def test_sending_less_fits_what_is_left() -> None:
    slots, _ = held_by_sessions(48)
    with pytest.raises(ReqSlotsExhausted):
        alloc_req_slots(slots, BATCH, range(BATCH))
    assert len(alloc_req_slots(slots, 8, range(8))) == 8


# logical-host-alloc-unaligned


def test_rounding_the_host_request_alone_leaves_unequal_counts() -> None:
    device_indices, page = np.arange(37), 16
    host = HostLogical(1_024, page)
    with pytest.raises(HostAllocUnaligned):
        host.alloc(len(device_indices))
    rounded = host.alloc(-(-len(device_indices) // page) * page)
    assert rounded is not None
    assert (len(rounded), len(device_indices)) == (48, 37)
    assert len(rounded) - len(device_indices) == 11


def test_aligning_the_range_gives_equal_counts() -> None:
    device_indices, page = np.arange(37), 16
    host = HostLogical(1_024, page)
    kept = device_indices[: len(device_indices) // page * page]
    taken = host.alloc(len(kept))
    assert taken is not None
    assert len(taken) == len(kept) == 32


def test_alignment_is_tested_before_capacity_and_full_is_none() -> None:
    host = HostLogical(64, 16)
    taken = host.alloc(64)
    assert taken is not None
    assert host.available_size() == 0
    with pytest.raises(HostAllocUnaligned):
        host.alloc(37)
    assert host.alloc(16) is None
    host.free(taken[:16])
    assert host.alloc(16) is not None


@pytest.mark.parametrize("page", [16, 32, 64, 128, 256])
def test_no_page_size_makes_a_raw_length_whole(page: int) -> None:
    with pytest.raises(HostAllocUnaligned):
        HostLogical(1_024, page).alloc(37)
