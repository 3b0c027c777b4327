"""Published traces, read whole; without them the small samples of the same shape."""

import csv
import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.traces.options import ReadOptions
from app.traces.reader import read_trace
from tests.traces.files import SAMPLES


@dataclasses.dataclass(frozen=True)
class Expected:
    """What a file must turn out to be."""

    path: Path
    rows: int
    span_s: float
    rate_per_s: float
    first_note: str


def _mooncake(data: Path | None) -> list[Expected]:
    if data is None:
        path = SAMPLES / "mooncake_small.jsonl"
        note = "timestamps read as milliseconds: 4.41 req/s over 11 s"
        return [Expected(path, 48, 10.884, 4.410, note)]
    folder = data / "traces" / "mooncake"
    return [
        Expected(
            folder / "conversation_rows_00001-03995.jsonl",
            3995,
            1299.0,
            3.075,
            "timestamps read as milliseconds: 3.08 req/s over 1,299 s",
        ),
        Expected(
            folder / "synthetic_rows_0001-1900.jsonl",
            1900,
            504.438,
            3.767,
            "timestamps read as milliseconds: 3.77 req/s over 504 s",
        ),
    ]


def _azure(data: Path | None) -> Iterator[tuple[Path, Path, int]]:
    """The trace, the same requests in seconds as others published them, and the rows."""
    if data is None:
        yield SAMPLES / "azure2023_small.csv", SAMPLES / "seconds_small.csv", 36
        return
    for kind, rows in (("conv", 10000), ("code", 4000)):
        part = f"{kind}_rows_00001-{rows:05}.csv"
        trace = data / "traces" / "azure2023" / f"AzureLLMInferenceTrace_{part}"
        yield trace, data / "traces" / "vidur" / f"splitwise_{part}", rows


def test_mooncake_files_are_read_whole_in_milliseconds_and_blocks_of_512(
    shared_data: Path | None,
) -> None:
    for expected in _mooncake(shared_data):
        trace = read_trace(expected.path)
        info = trace.info
        assert (info.time_unit, info.block_size, info.rounding) == ("ms", 512, "ceil")
        assert (info.rows, info.rows_dropped) == (expected.rows, {})
        assert info.span_s == pytest.approx(expected.span_s)
        assert info.rate_per_s == pytest.approx(expected.rate_per_s, abs=5e-4)
        assert info.notes[0] == expected.first_note
        last_ns = 0
        for request in trace.requests:
            assert request.arrival_ns >= last_ns
            assert request.hash_ids is not None
            assert len(request.hash_ids) == -(-request.input_tokens // 512)
            last_ns = request.arrival_ns
        assert last_ns == round(expected.span_s * 1e9)


def test_azure_files_give_the_requests_that_others_read_from_them(
    shared_data: Path | None,
) -> None:
    for path, twin, rows in _azure(shared_data):
        trace = read_trace(path)
        assert (trace.info.rows, trace.info.rows_dropped) == (rows, {})
        assert not trace.info.has_prefix_info
        with twin.open(newline="") as file:
            pairs = list(zip(trace.requests, csv.DictReader(file), strict=True))
        assert len(pairs) == rows
        # the twins count from the whole trace's start, we from the slice's
        offset = float(pairs[0][1]["arrived_at"])
        for request, other in pairs:
            arrival_s = float(other["arrived_at"]) - offset
            assert request.arrival_ns / 1e9 == pytest.approx(arrival_s, abs=1e-6)
            assert request.input_tokens == int(other["num_prefill_tokens"])
            assert request.output_tokens == int(other["num_decode_tokens"])


#: folder → format, rows of all its files, rows dropped, and what its prompts share
PUBLISHED = {
    "azure2023/*.csv": ("azure2023", 14_000, {}, None),
    "vidur/splitwise_*.csv": ("vidur", 14_000, {}, None),
    "vidur/arxiv_*.csv": ("vidur-lengths", 9_000, {}, None),
    "burstgpt/BurstGPT_1*.csv": ("burstgpt", 30, {"failed-request": 1}, None),
    "claude_code_weka/*.json": ("agent-sessions", 255, {}, 0.862),
    "mooncake/conversation*.jsonl": ("mooncake", 3_995, {}, 0.331),
    "mooncake/synthetic*.jsonl": ("mooncake", 1_900, {}, 0.320),
    "lmcache_agent/*.jsonl": ("lmcache", 73, {}, None),
    "vllm_measured/*/requests.jsonl": ("llmservingsim", 600, {}, None),
}


@pytest.mark.parametrize("pattern", PUBLISHED)
def test_published_files_are_what_they_were_counted_to_be(
    pattern: str, shared_data: Path | None
) -> None:
    if shared_data is None:
        pytest.skip("POOLSCOPE_DATA is not set: there are no published files to count")
    name, rows, dropped, shared = PUBLISHED[pattern]
    infos = [
        read_trace(path, ReadOptions(arrivals="poisson:1" if "lengths" in name else None)).info
        for path in sorted((shared_data / "traces").glob(pattern))
    ]
    assert {info.format for info in infos} == {name}
    assert sum(info.rows for info in infos) == rows
    assert sum(sum(info.rows_dropped.values()) for info in infos) == sum(dropped.values())
    assert {reason for info in infos for reason in info.rows_dropped} == set(dropped)
    if shared is not None:
        seen = sum(i.sharing.tokens_frac * i.input_tokens.total for i in infos if i.sharing)
        assert seen / sum(i.input_tokens.total for i in infos) == pytest.approx(shared, abs=6e-4)


def test_the_clients_tables_keep_their_rate(shared_data: Path | None) -> None:
    if shared_data is None:
        pytest.skip("POOLSCOPE_DATA is not set: there are no published tables to draw from")
    for path in (shared_data / "traces").glob("servegen/*/*-trace.csv"):
        busy = [line.split(",") for line in path.read_text().splitlines()]
        first = next(float(line[0]) for line in busy if float(line[1]) > 0)
        wanted = 600 * sum(float(x[1]) for x in busy if first <= float(x[0]) < first + 3600)
        trace = read_trace(path)
        assert trace.info.rows_dropped == {}
        assert len(trace) == pytest.approx(wanted, abs=2)


def test_files_without_requests_are_refused_by_name(shared_data: Path | None) -> None:
    if shared_data is None:
        strangers = [SAMPLES / "pool_log_small.csv"]
    else:
        folder = shared_data / "traces"
        strangers = [*folder.glob("burstgpt/vllm_pool_log_*"), *folder.glob("*/*/timeseries.csv")]
        strangers += folder.glob("vllm_measured/*/meta.json")
        assert len(strangers) == 6
    for path in strangers:
        with pytest.raises(ValueError, match="accepted are"):
            read_trace(path)
