"""Flags that cannot work: which one is blamed, why, and what to write instead."""

from typing import Any

import pytest

from app.sizing.plan import resolve
from app.sizing.server_args import FlagError, ServerArgs


@pytest.mark.parametrize(
    ("flags", "flag", "problem", "remedy"),
    [
        ({"page_size": 0}, "--page-size", "below 1", "1 or more"),
        ({"page_size": 16.0}, "--page-size", "not a whole number", "1 or more"),
        ({"page_size": True}, "--page-size", "not a whole number", "1 or more"),
        (
            {"page_size": 2048, "max_total_tokens": 2000},
            "--page-size",
            "one page is larger than the whole KV pool (--max-total-tokens 2,000)",
            "--max-total-tokens 2,048",
        ),
        ({"max_total_tokens": 7, "page_size": 1}, "--max-total-tokens", "too small", "at least 8"),
        ({"max_total_tokens": 2**31}, "--max-total-tokens", "32-bit", "at most 2147483616"),
        ({"max_total_tokens": 10**400}, "--max-total-tokens", "beyond any real server", "smaller"),
        ({"max_running_requests": 0}, "--max-running-requests", "below 1", "1 or more"),
        ({"max_running_requests": -3}, "--max-running-requests", "below 1", "1 or more"),
        ({"context_length": 7}, "--context-length", "below 8", "8 or more"),
        (
            {"chunked_prefill_size": 100},
            "--chunked-prefill-size",
            "chunked_prefill_size must be divisible by page_size 16",
            "96 or 112, or -1",
        ),
        (
            {"chunked_prefill_size": 8},
            "--chunked-prefill-size",
            "must be divisible by page_size 16",
            "give 16, or -1",
        ),
        (
            {"chunked_prefill_size": 64, "attn_dp_size": 8},
            "--chunked-prefill-size",
            "chunked_prefill_size (8 per attention-DP worker) must be divisible",
            "give 128",
        ),
        (
            {"chunked_prefill_size": 4, "attn_dp_size": 8},
            "--chunked-prefill-size",
            "(0 per attention-DP worker)",
            "give 128",
        ),
        ({"max_queued_requests": 0}, "--max-queued-requests", "below 1", "1 or more"),
        ({"schedule_conservativeness": float("nan")}, "--schedule-conservativeness", "not", "give"),
        ({"hicache_ratio": -1.0}, "--hicache-ratio", "not a number of 0 or more", "give one"),
        ({"hicache_ratio": 1e308}, "--hicache-ratio", "over 1000 host tokens", "2 or so"),
        ({"hicache_ratio": 1e-9}, "--hicache-ratio", "less than one page", "0 for no host pool"),
        ({"mm_recycle_interval_s": 0.0}, "--mm-recycle-interval-s", "must be positive", "0.05"),
        (
            {"mm_feature_cache_mb": 1, "mm_consumers": 64},
            "--mm-feature-cache-mb",
            "too small after control metadata: pool=1048576, control=1064960",
            "give 2 or more",
        ),
        ({"radix_eviction_policy": "lrru"}, "--radix-eviction-policy", "known", "did you mean lru"),
        ({"radix_eviction_policy": "zzz"}, "--radix-eviction-policy", "known", "slru, priority"),
        ({"disaggregation_mode": "decod"}, "--disaggregation-mode", "known", "did you mean decode"),
        ({"checks": "zzz"}, "--checks", "known", "choose from strict, upstream"),
        ({"device": "gpu"}, "--device", "no such device", "cuda:N"),
        ({"device": None}, "--device", "no such device", "cuda:N"),
        ({"memory_budget_bytes": 0}, "--memory-budget", "below 1", "1 or more"),
        (
            {"max_running_requests": 4096, "context_length": 1 << 20},
            "--memory-budget",
            "need 2.32 GiB (request table 2 GiB",
            "lower --max-running-requests or --context-length, or give --memory-budget 2375MiB",
        ),
        (
            {"max_total_tokens": 1 << 26},
            "--memory-budget",
            "KV buffers 4 GiB",
            "lower --max-total-tokens",
        ),
        (
            {"max_total_tokens": 1 << 20, "hicache_ratio": 1000.0},
            "--memory-budget",
            "book-keeping",
            "--hicache-ratio",
        ),
    ],
)
def test_the_flag_to_change_is_named_with_a_remedy(
    flags: dict[str, Any], flag: str, problem: str, remedy: str
) -> None:
    with pytest.raises(FlagError) as caught:
        resolve(ServerArgs(**flags))
    error = caught.value
    assert error.flag == flag
    assert problem in error.problem
    assert remedy in error.remedy
    assert str(error) == f"{flag} {error.value}: {error.problem}; {error.remedy}"


def test_the_budget_that_a_refusal_names_is_enough() -> None:
    flags: dict[str, Any] = {"max_running_requests": 4096, "context_length": 1 << 20}
    with pytest.raises(FlagError) as caught:
        resolve(ServerArgs(**flags))
    named = int(caught.value.remedy.split()[-1].removesuffix("MiB")) << 20
    assert resolve(ServerArgs(**flags, memory_budget_bytes=named)).rows == 4096


def test_chunks_of_a_decode_server_need_no_page_boundary() -> None:
    args = ServerArgs(chunked_prefill_size=100, disaggregation_mode="decode")
    assert resolve(args).chunked_prefill_size == 100


def test_no_feature_pool_asks_nothing_of_its_consumers() -> None:
    assert resolve(ServerArgs(mm_feature_cache_mb=0, mm_consumers=4096)).mm_bytes == 0
