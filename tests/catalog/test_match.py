"""Logs as people paste them: prefixes, several ranks, old wordings, lost line breaks."""

import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pools.errors as coded
from app.catalog.match import Match, match
from app.sizing.plan import resolve
from app.sizing.server_args import FlagError, ServerArgs
from pools.base import Pool
from pools.kinds.host_logical import HostLogical
from pools.kinds.kv_pages import KvPages
from pools.kinds.kv_tokens import KvTokens
from pools.kinds.request_slots import RequestSlots

numbers = st.integers(0, 10**9)
PREFIXES = [
    "",
    "[2025-09-13 09:09:21 TP0] ",
    "2025-09-13 09:09:21 TP0] ",
    "[2025-09-13 09:09:21 DP4 TP4] RuntimeError: ",
    "[16:43:29 TP0] ",
    "vllm-1  | ERROR ",
    "2025-09-13T09:09:21.123Z stderr F RuntimeError: ",
    "UserWarning: ",
    "\x1b[31mRuntimeError: ",
]


def only(text: str) -> Match:
    (found,) = match(text)
    return found


@given(numbers, numbers)
def test_request_slots_round_trip(available: int, wanted: int) -> None:
    error = coded.ReqSlotsExhausted(available, wanted)
    assert only(str(error)).entry.code == error.code
    assert only(str(error)).numbers == error.numbers


@given(numbers, numbers, numbers)
def test_kv_round_trip(need: int, available: int, evictable: int) -> None:
    for cls in (
        coded.KvTokenOutOfMemory,
        coded.KvPrefillOutOfMemory,
        coded.KvDecodeOutOfMemory,
    ):
        error = cls(need, available, evictable)
        found = only(str(error))
        assert found.entry.code == error.code
        assert found.numbers == {**error.numbers, "reclaimable_tokens": available + evictable}


@given(numbers, st.integers(1, 4096))
def test_host_round_trip(size: int, page_size: int) -> None:
    for cls in (coded.HostAllocUnaligned, coded.HostFreeUnaligned, coded.HostSizeUnaligned):
        error = cls(size, page_size)
        assert only(str(error)).entry.code == error.code
        assert only(str(error)).numbers == error.numbers


@given(numbers, numbers)
def test_feature_pool_round_trip(a: int, b: int) -> None:
    small = coded.MmPoolTooSmall("CUDA IPC", a, b)
    assert only(str(small)).numbers == {"transport_name": "CUDA IPC", **small.numbers}
    stale = coded.MmLeaseInactive("CUDA IPC", a, b)
    assert only(str(stale)).numbers == {"transport_name": "CUDA IPC", **stale.numbers}


@pytest.mark.parametrize(
    ("error", "read"),
    [
        (
            coded.MmGenerationExhausted("CUDA IPC", 0, 2**31 - 1, 2**31 - 1),
            {"transport_name": "CUDA IPC"},
        ),
        (coded.MmByteTensorInvalid("cuda:3"), {"device_id": 3}),
        (coded.MmByteTensorInvalid("cpu"), {"device_name": "cpu"}),
        (coded.MmRecycleIntervalNotPositive(0.0), {}),
    ],
)
def test_feature_pool_messages(error: coded.PoolError, read: dict[str, object]) -> None:
    assert only(str(error)).entry.code == error.code
    assert only(str(error)).numbers == read


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("code", ["alloc-req-slots-exhausted", "mm-slot-generation-exhausted"])
def test_prefixes_do_not_matter(prefix: str, code: str) -> None:
    errors = {
        "alloc-req-slots-exhausted": coded.ReqSlotsExhausted(1, 2),
        "mm-slot-generation-exhausted": coded.MmGenerationExhausted("CUDA IPC", 0, 1, 1),
    }
    found = only(f"starting\n{prefix}{errors[code]}\r\n")
    assert (found.entry.code, found.line) == (code, 2)
    assert found.numbers.get("transport_name", "CUDA IPC") == "CUDA IPC"


def test_numbers_of_one_message_are_not_taken_from_the_next() -> None:
    first = "Prefill out of memory. Try to lower your batch size.\n"
    second = str(coded.KvPrefillOutOfMemory(9, 1, 2))
    without, with_numbers = match(first + second)
    assert without.numbers == {}
    assert with_numbers.numbers["need_tokens"] == 9


def test_order_is_that_of_the_log_and_ranks_are_folded() -> None:
    lines = [f"[TP{rank}] {coded.ReqSlotsExhausted(0, 4)}" for rank in range(8)]
    lines.insert(3, "[TP0] The request queue is full.")
    slots, queue = match("\n".join(lines))
    assert (slots.entry.code, slots.times, slots.line) == ("alloc-req-slots-exhausted", 8, 1)
    assert (queue.entry.code, queue.line) == ("queue-full", 4)


def test_ordinary_log_lines_match_nothing() -> None:
    log = (
        "[2025-09-13 09:09:15 TP0] Decode batch. #running-req: 4, #token: 9071, token usage: 0.01\n"
        "[2025-09-13 09:09:16 TP0] Prefill batch, #new-seq: 1, #new-token: 512, #queue-req: 0\n"
        "max_total_num_tokens=307200, chunked_prefill_size=8192, available_gpu_mem=4.51 GB\n"
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    )
    assert match(log) == []


def refusals() -> list[tuple[Pool, str, list[object]]]:
    """Calls that strict pools refuse."""
    rows, tokens, pages, host = (
        cls.tiny() for cls in (RequestSlots, KvTokens, KvPages, HostLogical)
    )
    held = rows.alloc(1)
    return [
        (rows, "alloc", [-1]),
        (rows, "free", [[1]]),
        (rows, "free", [[99]]),
        (rows, "free", [held * 2]),
        (rows, "disown", [1]),
        (tokens, "alloc", [-1, 0]),
        (pages, "alloc", [pages.page_size + 1, 0]),
        (host, "alloc", [1]),
        (host, "alloc", [-host.page_size]),
    ]


@pytest.mark.parametrize(("pool", "call", "args"), refusals())
def test_what_real_pools_raise_is_recognised(pool: Pool, call: str, args: list[object]) -> None:
    with pytest.raises(coded.PoolError) as raised:
        getattr(pool, call)(*args)
    assert only(f"step 7: {raised.value}").entry.code == raised.value.code


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"memory_budget_bytes": 1 << 20}, "pool-memory-budget-exceeded"),
        ({"mm_feature_cache_mb": 1, "mm_consumers": 300}, "mm-pool-too-small-control"),
        ({"mm_recycle_interval_s": 0.0}, "mm-recycle-interval-not-positive"),
    ],
)
def test_what_sizing_refuses_is_recognised(change: dict[str, float], code: str) -> None:
    with pytest.raises(FlagError) as raised:
        resolve(replace(ServerArgs(), **change))
    assert only(str(raised.value)).entry.code == code


@pytest.mark.parametrize(
    "text",
    [
        "Prefill out of memory. Try to lower your batch size.\n" * 40_000,
        " pool slot generation exhausted" * 60_000,
        "LoRA adapter " + "a" * 1_000_000,
        "Available mamba: (available_size=" * 60_000,
        "x\n" * 1_000_000,
    ],
    ids=["repeated", "anchors only", "long word", "details only", "lines"],
)
def test_a_hostile_megabyte_takes_no_longer_than_a_log(text: str) -> None:
    started = time.perf_counter()
    match(text)
    assert time.perf_counter() - started < 2.0
