"""Wordings of older releases and layouts that logs and issue trackers leave behind."""

import json
import os
from pathlib import Path

import pytest

from app.catalog.catalog import CATALOG
from app.catalog.match import match

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
    "pool leak, several pools": (
        "ValueError: pool memory leak detected! [full] total=4096, available=64, evictable=4032, "
        "protected=0, session_held=0, uncached=0\n[swa] total=512, available=256, evictable=128, "
        "protected=0, session_held=0, uncached=0",
        "pool-leak-idle",
        {
            "pool_name": "pool",
            "pool": "full",
            "total": 4096,
            "available": 64,
            "evictable": 4032,
            "protected": 0,
            "session_held": 0,
            "uncached": 0,
        },
    ),
    "pool leak, 0.5.1": (
        "token_to_kv_pool_allocator memory leak detected! self.max_total_num_tokens=1000, "
        "available_size=10, evictable_size=980, protected_size=0",
        "pool-leak-idle",
        {"total": 1000, "available": 10, "evictable": 980, "protected": 0},
    ),
    "graph capture": (
        "Exception: Capture cuda graph failed: CUDA out of memory. Tried to allocate 448.00 MiB. "
        "GPU 7 has a total capacity of 95.00 GiB of which 301.00 MiB is free.\n",
        "cuda-graph-capture-oom",
        {
            "reason": "CUDA out of memory. Tried to allocate 448.00 MiB. "
            "GPU 7 has a total capacity of 95.00 GiB of which 301.00 MiB is free.",
            "need_mib": 448.0,
            "free_mib": 301.0,
        },
    ),
    "start, 0.4": (
        "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.",
        "not-enough-memory-kv",
        {},
    ),
    "start, 0.5.3": (
        "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static. Current "
        "value: self.server_args.mem_fraction_static=0.7",
        "not-enough-memory-kv",
        {"mem_fraction_static": 0.7},
    ),
    "host tier, without a pool's name": (
        "HiCache host KV pool (100 tokens) is smaller than the device pool (200 tokens);L2 cache",
        "host-pool-smaller-than-device",
        {"host_tokens": 100, "device_tokens": 200},
    ),
    "row leak, a space after the mark, no sessions": (
        "req_to_token_pool memory leak detected! available_size=255, total_size=256",
        "req-pool-leak-idle",
        {"available_size": 255, "total_size": 256},
    ),
}


@pytest.mark.parametrize(("text", "code", "read"), OLDER.values(), ids=OLDER.keys())
def test_older_wordings(text: str, code: str, read: dict[str, object]) -> None:
    (found,) = match(text)
    assert (found.entry.code, found.numbers) == (code, read)


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
