"""From flags to pools: the formulas' check numbers, and what a server would warn about."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.sizing.plan import PoolPlan, resolve
from app.sizing.server_args import GIB, FlagError, ServerArgs


def _plan(**flags: Any) -> PoolPlan:
    return resolve(ServerArgs(**flags))


def test_the_default_server() -> None:
    plan = _plan()
    assert (plan.rows, plan.max_running_requests) == (256, 256)
    assert (plan.kv_tokens, plan.kv_pages, plan.page_size) == (1_048_576, 65_536, 16)
    assert (plan.context_len, plan.table_columns) == (131_072, 131_076)
    assert plan.host_tokens == 2_097_152
    assert plan.mm_bytes == 256 << 20
    assert (plan.max_req_len, plan.max_req_input_len) == (131_071, 131_066)
    assert plan.chunked_prefill_size == 8192
    assert not plan.need_sort
    assert plan.warnings == ()


@pytest.mark.parametrize(
    ("asked", "tokens", "context", "workers", "rows"),
    [
        (256, 1_048_576, 131_072, 1, 256),
        (256, 1_048_576, 131_072, 8, 32),
        (3, 1_048_576, 131_072, 8, 1),
        (4096, 1024, 1024, 1, 512),
        (None, 1_048_576, 131_072, 1, 4096),
        (None, 1_048_576, 262_144, 1, 2048),
        (None, 786_432, 131_072, 1, 3072),
        (None, 131_072, 131_072, 1, 2048),
        (None, 1_048_576, 8192, 1, 4096),
        (None, 2048, 8192, 1, 1024),
    ],
)
def test_rows_follow_the_flag_or_the_capacity(
    asked: int | None, tokens: int, context: int, workers: int, rows: int
) -> None:
    plan = _plan(
        max_running_requests=asked,
        max_total_tokens=tokens,
        context_length=context,
        attn_dp_size=workers,
    )
    assert plan.rows == rows


@pytest.mark.parametrize(
    ("tokens", "page", "ratio", "host"),
    [
        (1000, 16, 2.0, 1984),
        (1000, 64, 1.0, 960),
        (1024, 64, 1.3, 1280),
        (1024, 1, 0.5, 512),
        (1024, 64, 0.0, 0),
    ],
)
def test_the_host_pool_is_whole_pages_without_padding(
    tokens: int, page: int, ratio: float, host: int
) -> None:
    plan = _plan(max_total_tokens=tokens, page_size=page, hicache_ratio=ratio, context_length=512)
    assert plan.host_tokens == host
    assert plan.host_tokens % page == 0


@pytest.mark.parametrize(
    ("rows", "context", "gib"), [(2048, 131_072, 1.0), (4096, 131_072, 2.0), (4096, 1 << 20, 16.0)]
)
def test_the_modelled_request_table_is_a_real_servers(rows: int, context: int, gib: float) -> None:
    plan = _plan(
        max_running_requests=rows, context_length=context, memory_budget_bytes=8 * GIB, device="cpu"
    )
    assert plan.modelled_table_bytes / GIB == pytest.approx(gib, rel=1e-3)


def test_attention_dp_divides_chunks_and_lowers_conservativeness() -> None:
    plan = _plan(attn_dp_size=4, schedule_conservativeness=1.5)
    assert plan.chunked_prefill_size == 2048
    assert plan.schedule_conservativeness == pytest.approx(0.45)


@pytest.mark.parametrize("asked", [0, -1])
def test_chunks_can_be_switched_off(asked: int) -> None:
    assert _plan(chunked_prefill_size=asked).chunked_prefill_size is None


@pytest.mark.parametrize(
    ("mode", "asked", "rows", "sorts"),
    [("null", 32, 32, False), ("prefill", 32, 32, True), ("decode", 32, 96, True)],
)
def test_disaggregation_sorts_freed_units_and_adds_decode_rows(
    mode: str, asked: int, rows: int, sorts: bool
) -> None:
    plan = _plan(disaggregation_mode=mode, max_running_requests=asked)
    assert (plan.rows, plan.max_running_requests, plan.need_sort) == (rows, asked, sorts)


def test_a_large_decode_batch_gets_no_extra_rows() -> None:
    assert _plan(disaggregation_mode="decode", max_running_requests=33).rows == 33


def test_no_prefix_cache_means_no_host_pool() -> None:
    plan = _plan(disable_radix_cache=True)
    assert plan.host_tokens == 0
    row = next(row for row in plan.ledger if row.name == "--hicache-ratio")
    assert (row.asked, row.effective) == (2.0, 0.0)
    assert "no prefix cache" in row.rule


def test_a_server_would_warn_of_each_of_these() -> None:
    plan = _plan(max_total_tokens=1000, max_running_requests=900, hicache_ratio=1.0)
    reduced, short, host = plan.warnings
    assert reduced.startswith("max_running_requests was reduced from the requested 900 to 496 (per")
    assert short.startswith("KV pool holds 992 tokens, fewer than --context-length 131072.")
    assert host.startswith("HiCache host KV pool (992 tokens) is smaller than the device pool (992")


@pytest.mark.parametrize("rows", [256, 2048, None])
def test_usual_servers_fit_the_default_budget(rows: int | None) -> None:
    plan = _plan(max_running_requests=rows)
    assert plan.allocated_bytes_estimate < GIB


def test_a_gpu_takes_the_whole_table_at_once() -> None:
    cpu, gpu = _plan(max_running_requests=2048), _plan(max_running_requests=2048, device="cuda:0")
    table = gpu.modelled_table_bytes
    assert gpu.allocated_bytes_estimate - cpu.allocated_bytes_estimate == table - table // 8


FLAGS = st.fixed_dictionaries(
    {},
    optional={
        "max_running_requests": st.none() | st.integers(-2, 5000),
        "page_size": st.integers(-1, 300),
        "max_total_tokens": st.integers(-1, 1 << 22),
        "context_length": st.integers(0, 1 << 20),
        "chunked_prefill_size": st.integers(-2, 1 << 14),
        "hicache_ratio": st.floats(allow_nan=True, allow_infinity=True),
        "mm_feature_cache_mb": st.integers(-1, 4096),
        "mm_consumers": st.integers(-1, 1 << 20),
        "attn_dp_size": st.integers(0, 16),
        "disaggregation_mode": st.sampled_from(["null", "prefill", "decode", "both"]),
        "device": st.sampled_from(["cpu", "cuda", "gpu"]),
    },
)


@given(FLAGS)
def test_any_flags_give_a_plan_that_holds_together_or_a_flag_error(flags: dict[str, Any]) -> None:
    plan = _plan_or_error(flags)
    if isinstance(plan, FlagError):
        assert plan.flag.startswith("--")
        assert plan.remedy
        return
    assert plan.kv_tokens % plan.page_size == 0
    assert 0 < plan.max_running_requests <= min(plan.rows, plan.kv_tokens // 2)
    assert plan.max_req_input_len > 0
    assert plan.host_tokens % plan.page_size == 0
    assert plan.allocated_bytes_estimate <= plan.args.memory_budget_bytes
    assert all(row.rule for row in plan.ledger)


def _plan_or_error(flags: dict[str, Any]) -> PoolPlan | FlagError:
    try:
        return _plan(**flags)
    except FlagError as error:
        return error


def test_the_ledger_names_every_flag_that_sizes_a_pool_once() -> None:
    names = [row.name for row in _plan().ledger]
    assert len(names) == len(set(names))
    sizing = {"max_total_tokens", "page_size", "max_running_requests", "context_length"}
    sizing |= {"hicache_ratio", "mm_feature_cache_mb", "chunked_prefill_size"}
    assert sizing <= {field.name for field in dataclasses.fields(ServerArgs)}
    assert {"--" + field.replace("_", "-") for field in sizing} <= set(names)


def test_the_ledger_shows_what_became_of_a_flag() -> None:
    rows = {row.name: row for row in _plan(max_total_tokens=1000, max_running_requests=900).ledger}
    tokens, requests = rows["--max-total-tokens"], rows["--max-running-requests"]
    assert (tokens.asked, tokens.effective, tokens.unit) == (1000, 992, "tokens")
    assert "whole pages of 16" in tokens.rule
    assert (requests.asked, requests.effective, requests.unit) == (900, 496, "requests")
    assert "half the KV tokens (496)" in requests.rule
    assert rows["feature data"].effective == (256 << 20) - 49_152
