"""A real server's pools: check numbers, bands, pins, and what cannot start."""

import dataclasses
import itertools
from typing import Any

import pytest

from app.sizing import capacity, rules
from app.sizing.bounds import bounds_of
from app.sizing.model_shape import load_model
from app.sizing.plan import resolve
from app.sizing.server_args import FlagError, ServerArgs
from app.sizing.server_size import ServerSize, size
from app.sizing.size_args import SizeArgs
from app.sizing.size_table import SizeRow, table

GIB = 1 << 30


def sized(model: str = "llama-3.1-8b", gpu_gib: float = 80, **flags: Any) -> ServerSize:
    return size(SizeArgs(model=load_model(model), gpu_gib=gpu_gib, **flags))


def row(found: ServerSize, name: str) -> SizeRow:
    return next(one for one in table(found) if one.name == name)


@pytest.mark.parametrize(
    ("rows", "context", "gib"),
    [(2048, 131_072, 1.0), (4096, 131_072, 2.0), (4096, 1_048_576, 16.0)],
)
def test_the_request_table_costs_what_context_and_rows_say(
    rows: int, context: int, gib: float
) -> None:
    found = sized(max_running_requests=rows, context_length=context, measured_tokens=4_000_000)
    assert found.table_bytes == ((rows + 1) * (context + 4) * 4,) * 2
    assert found.table_bytes[0] / GIB == pytest.approx(gib, abs=0.01)


@pytest.mark.parametrize(
    ("consumers", "control"), [(1, 32_768), (2, 49_152), (4, 81_920), (8, 147_456)]
)
def test_control_words_of_the_feature_pool(consumers: int, control: int) -> None:
    found = sized(
        "qwen2.5-vl-7b",
        tp_size=consumers,
        mm_feature_transport="cuda_ipc",
    )
    assert row(found, "feature data").low == 1024 * rules.MIB - control


def test_the_band_holds_what_the_budget_formula_gives_inside_it() -> None:
    found = sized(mem_fraction_static=0.88, weights_gib=15.0)
    # 78.6 GiB free before and 63.1 after loading, as such a card shows
    rest = (63.1 - 78.6 * 0.12) * GIB
    tokens = int(rest) // 131_072
    assert found.tokens[0] < tokens < found.tokens[1]
    course = capacity.Course(78.6, 63.1)
    assert capacity.capacity(found.args, course).tokens == tokens


def test_a_number_from_a_log_ends_the_band() -> None:
    found = sized(measured_tokens=431_217, page_size=1)
    assert found.tokens == (431_217, 431_217)
    assert found.running == (2048, 2048)
    assert row(found, "for states and KV").low == round(431_217 * 131_072 / GIB, 2)


@pytest.mark.parametrize(
    ("tokens", "context", "asked", "dp", "running", "binding"),
    [
        (1_048_576, 131_072, None, 1, 4096, "rows without the flag"),
        (1_000, 131_072, None, 1, 500, "half the KV tokens"),
        (1_048_576, 131_072, 256, 1, 256, "--max-running-requests"),
        (1_048_576, 131_072, 256, 8, 32, "--max-running-requests"),
        (1_048_576, 131_072, 3, 8, 1, "--max-running-requests"),
    ],
)
def test_running_requests_follow_the_smallest_bound(
    tokens: int, context: int, asked: int | None, dp: int, running: int, binding: str
) -> None:
    found = sized(
        measured_tokens=tokens,
        context_length=context,
        max_running_requests=asked,
        tp_size=8,
        dp_size=dp,
        enable_dp_attention=dp > 1,
        request_tokens=1,
    )
    assert found.running == (running, running)
    assert [one.name for one in found.bounds if one.binding] == [binding]
    same = resolve(
        ServerArgs(
            max_total_tokens=tokens, context_length=context, max_running_requests=asked,
            attn_dp_size=dp, page_size=1, memory_budget_bytes=1 << 40,
        )
    )  # fmt: skip
    assert same.max_running_requests == running


def test_kv_binds_long_requests_and_rows_bind_short_ones() -> None:
    long, short = (
        sized(measured_tokens=400_000, max_running_requests=256, request_tokens=length)
        for length in (16_000, 200)
    )
    assert [one.name for one in long.bounds if one.binding] == ["KV at 16,000 tokens each"]
    assert [one.name for one in short.bounds if one.binding] == ["--max-running-requests"]


def test_the_running_server_gets_the_same_bounds() -> None:
    bounds = bounds_of(resolve(ServerArgs()))
    shown = {one.name: (one.low, one.binding) for one in bounds}
    assert shown == {
        "--max-running-requests": (256, True),
        "half the KV tokens": (524_288, False),
        "KV at 4,096 tokens each": (256, True),
    }


def test_host_pool_by_ratio_and_by_size_have_a_padding_page() -> None:
    flags = {"measured_tokens": 100_000, "page_size": 64, "enable_hierarchical_cache": True}
    assert sized(**flags).host_tokens[0] == (200_000 // 64 + 1) * 64
    by_size = sized(**flags, hicache_size_gb=30.0)
    assert by_size.host_tokens[0] == (int(30e9 // 131_072) // 64 + 1) * 64
    assert sized(**flags, disable_radix_cache=True).host_tokens == (0, 0)
    assert sized(measured_tokens=100_000).host_tokens == (0, 0)


def test_states_take_their_share_before_kv() -> None:
    found = sized("qwen3-next-80b-a3b", 141, tp_size=4)
    slot = (8192 * 3 // 4 * 2 + 32 * 128 * 128 // 4 * 4) * 36
    assert row(found, "bytes of a state").low == slot
    for end in found.ends:
        assert end.mamba_slots == int((end.rest_bytes * 0.9 / 1.9 - slot) // slot)
        left = end.rest_bytes - (end.mamba_slots + 1) * slot
        assert end.tokens == left // capacity.full_cell(found.args)
    few = sized("qwen3-next-80b-a3b", 141, tp_size=4, max_mamba_cache_size=30)
    assert few.running == (10, 10)
    assert "state slots" in [one.name for one in few.bounds if one.binding]


def test_window_layers_share_the_memory() -> None:
    found = sized("gpt-oss-120b", page_size=64)
    cell = 8 * 2 * 64 * 18 * 2
    for end in found.ends:
        assert end.tokens == int(end.rest_bytes // (cell + 0.8 * cell)) // 64 * 64
        assert end.swa_tokens == -(-int(end.tokens * 0.8) // 64) * 64


@pytest.mark.parametrize(
    ("flags", "columns"),
    [
        ({}, 4),
        ({"speculative_num_draft_tokens": 4}, 8),
        ({"speculative_num_draft_tokens": 4, "page_size": 64}, 2 * 4 + 63),
        (
            {
                "speculative_num_draft_tokens": 8,
                "speculative_num_steps": 5,
                "speculative_eagle_topk": 4,
                "page_size": 16,
            },
            2 * ((2 * 15 + 5) // 16 * 16 * 4) + 15,
        ),
    ],
)
def test_speculation_widens_the_table(flags: dict[str, Any], columns: int) -> None:
    assert sized(**flags, context_length=8192).columns == 8192 + columns


@pytest.mark.parametrize(
    ("model", "flags", "flag", "said"),
    [
        ("llama-3.1-70b", {}, "--mem-fraction-static", "leave no GPU memory"),
        (
            "llama-3.1-8b",
            {"mem_fraction_static": 0.1},
            "--mem-fraction-static",
            "give --mem-fraction",
        ),
        ("llama-3.1-8b", {"mem_fraction_static": 1.5}, "--mem-fraction-static", "no share"),
        ("llama-3.1-8b", {"tp_size": 0}, "--tp-size", "below 1"),
        ("llama-3.1-8b", {"gpu_gib": float("nan")}, "--gpu-gib", "not above 0"),
        ("llama-3.1-8b", {"kv_cache_dtype": "int3"}, "--kv-cache-dtype", "not known"),
        ("llama-3.1-8b", {"dp_size": 2}, "--dp-size", "server of its own"),
        (
            "llama-3.1-8b",
            {"tp_size": 4, "dp_size": 3, "enable_dp_attention": True},
            "--dp-size",
            "divide",
        ),
        (
            "llama-3.1-8b",
            {"page_size": 64, "chunked_prefill_size": 100},
            "--chunked-prefill-size",
            "divisible",
        ),
        ("gpt-oss-120b", {"swa_full_tokens_ratio": 0.0001}, "--swa-full-tokens-ratio", "window"),
        (
            "qwen3-next-80b-a3b",
            {"tp_size": 4, "max_mamba_cache_size": 2},
            "--max-mamba-cache-size",
            "no request",
        ),
    ],
)
def test_what_cannot_start_is_refused_by_flag(
    model: str, flags: dict[str, Any], flag: str, said: str
) -> None:
    with pytest.raises(FlagError, match=said) as caught:
        sized(model, **flags)
    assert caught.value.flag == flag


def test_more_memory_never_gives_less() -> None:
    found = [sized(gpu_gib=gib, mem_fraction_static=0.85) for gib in (24, 40, 48, 80, 141, 192)]
    for less, more in itertools.pairwise(found):
        for end in (0, 1):
            assert less.tokens[end] < more.tokens[end]
    for one in found:
        assert one.tokens[0] <= one.tokens[1]
        assert dataclasses.asdict(one)
