"""Logs as people paste them: prefixes, several ranks, old wordings, lost line breaks."""

import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pools.errors as coded
from app.catalog.catalog import CATALOG
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


OLDER = {
    "slots, 0.4": (
        "alloc_req_slots runs out of memory. Please set a smaller number for "
        "`--max-running-requests`. self.req_to_token_pool.available_size()=1, num_reqs=2, ",
        "alloc-req-slots-exhausted",
        {"available_size": 1, "num_reqs": 2},
    ),
    "slots, first sentence only": (
        "alloc_req_slots runs out of memory. Please set a smaller number for "
        "`--max-running-requests`.",
        "alloc-req-slots-exhausted",
        {},
    ),
    "decode, misspelt and on several lines": (
        "Decode out of memory. Try to lower your batch size.\nTry to allocate 148 tokens.\n"
        "Avaliable tokens: 2048\nself.token_to_kv_pool_allocator.available_size()=2048\n"
        "self.tree_cache.evictable_size()=0\n",
        "kv-decode-oom",
        {
            "need_tokens": 148,
            "reclaimable_tokens": 2048,
            "available_tokens": 2048,
            "evictable_tokens": 0,
        },
    ),
    "prefill, breaks and underscores lost": (
        "Prefill out of memory. Try to lower your batch size.Try to allocate 1444 tokens."
        "Avaliable tokens:5120self.token to kv pool allocator.available size()=5120"
        "self.tree cache.evictable size()=0",
        "kv-prefill-oom",
        {
            "need_tokens": 1444,
            "reclaimable_tokens": 5120,
            "available_tokens": 5120,
            "evictable_tokens": 0,
        },
    ),
    "prefill, hybrid": (
        "Prefill out of memory. Try to lower your batch size.\nTry to allocate 8192 tokens.\n"
        "Available full tokens: 8070656 (full_available_size=7936 + full_evictable_size_=8062720)\n"
        "Available mamba: 760 (available_size=57 + component_evictable_size_=703)\n",
        "kv-prefill-oom",
        {
            "need_tokens": 8192,
            "reclaimable_tokens": 8_070_656,
            "available_tokens": 7936,
            "evictable_tokens": 8_062_720,
            "mamba_available_slots": 57,
            "mamba_evictable_slots": 703,
        },
    ),
    "page size 1, a prefix on each line": (
        "[TP0] Out of memory. Try to lower your batch size.\n[TP0] Try to allocate 9 tokens.\n"
        "[TP0] Available tokens: 7 (available_size=3 + evictable_size=4)\n",
        "kv-token-alloc-oom",
        {"need_tokens": 9, "reclaimable_tokens": 7, "available_tokens": 3, "evictable_tokens": 4},
    ),
    "retract, 0.4": (
        "Decode out of memory happened. #retracted_reqs: 1, #new_token_ratio: 0.1474 -> 0.1845",
        "retract-kv-pool-full",
        {"retracted_reqs": 1, "old_ratio": 0.1474, "new_token_ratio": 0.1845},
    ),
    "retract, without state slots": (
        "KV cache pool is full. Retract requests. #retracted_reqs: 1, #new_tokens_gained: 660672, "
        "#new_token_ratio: 0.0980 -> 1.0000",
        "retract-kv-pool-full",
        {
            "retracted_reqs": 1,
            "new_tokens_gained": 660_672,
            "old_ratio": 0.098,
            "new_token_ratio": 1.0,
        },
    ),
    "feature pool, without the newer tail": (
        "MmItemMemoryPool has no free chunk large enough for a 112.50 MiB tensor (pool size: "
        "1024.00 MiB); falling back to non-IPC transport",
        "mm-ipc-pool-full",
        {"need_mib": 112.5, "pool_mib": 1024.0},
    ),
    "row leak, a space after the mark, no sessions": (
        "req_to_token_pool memory leak detected! available_size=255, total_size=256",
        "req-pool-leak-idle",
        {"available_size": 255, "total_size": 256},
    ),
}


@pytest.mark.parametrize(("text", "code", "read"), OLDER.values(), ids=OLDER.keys())
def test_older_wordings(text: str, code: str, read: dict[str, object]) -> None:
    found = only(text)
    assert (found.entry.code, found.numbers) == (code, read)


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


def test_reported_logs_are_recognised() -> None:
    """Every public report whose error is catalogued, old wordings included."""
    data = os.environ.get("POOLSCOPE_DATA")
    if not data:
        pytest.skip("POOLSCOPE_DATA is not set; the wordings above are what it would read")
    lines = (Path(data) / "reports" / "reports.jsonl").read_text().splitlines()
    missed = []
    for report in map(json.loads, lines):
        known = report["catalog"] in CATALOG.by_code
        # one very old report has the crash that came before the message existed
        if known and report["id"] != "sg-165":
            codes = {found.entry.code for found in match(report["log"])}
            if report["catalog"] not in codes:
                missed.append((report["id"], report["catalog"], codes))
    assert missed == []
