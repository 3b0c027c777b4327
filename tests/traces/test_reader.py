"""Reading a whole trace: accounting, refusals, slices, disorder, streaming."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.traces.errors import TraceError
from app.traces.options import ReadOptions
from app.traces.reader import read_trace
from app.traces.scan import PROBLEMS_KEPT
from tests.traces.files import SAMPLES, mooncake_row, write_azure, write_mooncake


def test_wrong_rows_are_named_counted_and_left_out(tmp_path: Path) -> None:
    good = [mooncake_row(timestamp=300 * n) for n in range(30)]
    wrong = ["{", mooncake_row(tokens=0), mooncake_row(output_length=0), mooncake_row(tokens=0)]
    path = write_mooncake(tmp_path / "t.jsonl", [*good[:2], *wrong, *good[2:]])
    trace = read_trace(path)
    info = trace.info
    assert info.rows == 34
    assert info.rows_dropped == {"zero-input-tokens": 2, "not-json": 1, "zero-output-tokens": 1}
    assert info.requests == len(trace) == len(list(trace.requests)) == 30
    assert info.problems == (
        "t.jsonl:3: row: not JSON: {",
        "t.jsonl:4: input_length: 0 tokens",
        "t.jsonl:5: output_length: 0 tokens",
        "t.jsonl:6: input_length: 0 tokens",
    )
    assert any(note.startswith("4 of 34 rows dropped: 2 zero-input-tokens") for note in info.notes)


def test_only_the_first_problems_are_kept_but_all_are_counted(tmp_path: Path) -> None:
    rows = [mooncake_row(timestamp=n) for n in range(60)]
    rows += [mooncake_row(tokens=0) for _ in range(40)]
    info = read_trace(write_mooncake(tmp_path / "t.jsonl", rows)).info
    assert len(info.problems) == PROBLEMS_KEPT
    assert info.rows_dropped == {"zero-input-tokens": 40}


def test_more_than_half_wrong_refuses_the_file_with_the_most_frequent_reason(
    tmp_path: Path,
) -> None:
    good = "2023-05-04 10:00:00.0000000,10,10"
    rows = [good, good, "2023-05-04 10:00:00,0,10", "x,1,1", "2023-05-04 10:00:00,0,10"]
    with pytest.raises(TraceError) as caught:
        read_trace(write_azure(tmp_path / "t.csv", rows))
    assert "3 of 5 rows are wrong, most often zero-input-tokens (2)" in caught.value.problem
    assert "t.csv:4: ContextTokens: 0 tokens" in caught.value.problem
    assert read_trace(write_azure(tmp_path / "t.csv", [*rows, good])).info.requests == 3


def test_a_header_without_rows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no rows"):
        read_trace(write_azure(tmp_path / "t.csv", []))


def test_rows_whose_ids_do_not_fit_the_block_size_are_wrong(tmp_path: Path) -> None:
    rows = [mooncake_row(timestamp=n, tokens=600 + n) for n in range(9)]
    rows.insert(4, mooncake_row(tokens=700, hash_ids=[0, 1, 2]))
    info = read_trace(write_mooncake(tmp_path / "t.jsonl", rows)).info
    assert (info.block_size, info.rounding) == (512, "ceil")
    assert info.rows_dropped == {"block-count-mismatch": 1}
    assert info.problems == ("t.jsonl:5: hash_ids: 3 ids do not fit 700 tokens in blocks of 512",)


def test_ids_that_fit_no_block_size_refuse_the_file(tmp_path: Path) -> None:
    rows = [mooncake_row(timestamp=n, tokens=5000, hash_ids=[n] * (n + 30)) for n in range(9)]
    with pytest.raises(TraceError, match="block-count-mismatch"):
        read_trace(write_mooncake(tmp_path / "t.jsonl", rows))


def test_a_file_of_small_blocks_is_read_as_such_and_says_so(tmp_path: Path) -> None:
    rows = [mooncake_row(n, 1000 + n, hash_ids=list(range(-(-(1000 + n) // 16)))) for n in range(9)]
    trace = read_trace(write_mooncake(tmp_path / "t.jsonl", rows))
    assert trace.info.block_size == 16
    assert any("each hash id covers 16 tokens" in note for note in trace.info.notes)
    assert {request.block_tokens for request in trace} == {16}


def test_the_limit_counts_accepted_rows_and_the_rest_is_not_accounted(tmp_path: Path) -> None:
    rows = [mooncake_row(timestamp=300 * n) for n in range(40)]
    rows[1] = mooncake_row(tokens=0)
    rows[30] = mooncake_row(output_length=0)
    trace = read_trace(write_mooncake(tmp_path / "t.jsonl", rows), limit=5)
    assert (trace.info.rows, trace.info.rows_dropped) == (6, {"zero-input-tokens": 1})
    assert len(trace.info.problems) == 1
    assert [request.rid for request in trace.requests] == [0, 1, 2, 3, 4]
    assert any("first 5 accepted rows" in note for note in trace.info.notes)


def test_a_slice_starts_at_zero_and_says_what_zero_was(tmp_path: Path) -> None:
    rows = [mooncake_row(timestamp=27_482 + 300 * n) for n in range(30)]
    trace = read_trace(write_mooncake(tmp_path / "t.jsonl", rows))
    assert [request.arrival_ns for request in trace][:2] == [0, 300_000_000]
    assert trace.info.first_time == "27,482 ms"
    assert any("27,482 ms, is taken as 0" in note for note in trace.info.notes)


def test_rows_out_of_order_are_sorted_and_said(tmp_path: Path) -> None:
    times = [900, 300, 600, 0, 300]
    rows = [mooncake_row(time, tokens=100 + n) for n, time in enumerate(times)]
    trace = read_trace(write_mooncake(tmp_path / "t.jsonl", rows))
    requests = list(trace.requests)
    assert [one.arrival_ns // 10**6 for one in requests] == sorted(times)
    assert [one.input_tokens for one in requests] == [103, 101, 104, 102, 100]
    assert [one.rid for one in requests] == [0, 1, 2, 3, 4]
    assert any("2 steps back" in note for note in trace.info.notes)


def test_too_much_disorder_asks_for_a_sorted_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.traces.check.MAX_WAITING_IDS", 3)
    path = write_mooncake(tmp_path / "t.jsonl", [mooncake_row(time) for time in (5, 4, 3, 2, 1)])
    with pytest.raises(TraceError, match="sort them by timestamp"):
        read_trace(path)


def test_overrides_win_and_are_checked(tmp_path: Path) -> None:
    path = write_mooncake(tmp_path / "t.jsonl", [mooncake_row(n) for n in range(30)])
    assert [one.arrival_ns for one in read_trace(path, ReadOptions(time_unit="s"))][1] == 10**9
    with pytest.raises(ValueError, match="time_unit 'min'"):
        ReadOptions(time_unit="min")
    with pytest.raises(ValueError, match="block_size 0"):
        ReadOptions(block_size=0)
    with pytest.raises(ValueError, match="limit 0"):
        read_trace(path, limit=0)
    azure = SAMPLES / "azure2023_small.csv"
    with pytest.raises(TraceError, match="leave time_unit out"):
        read_trace(azure, ReadOptions(time_unit="ms"))
    with pytest.raises(TraceError, match="leave block_size out"):
        read_trace(azure, ReadOptions(block_size=512))


def test_a_span_beyond_64_bits_is_refused(tmp_path: Path) -> None:
    path = write_mooncake(tmp_path / "t.jsonl", [mooncake_row(0), mooncake_row(2**62)])
    with pytest.raises(TraceError, match="read as milliseconds, span"):
        read_trace(path)


def test_a_trace_can_be_streamed_again_and_in_parallel() -> None:
    trace = read_trace(SAMPLES / "mooncake_small.jsonl")
    first, second = trace.requests, trace.requests
    assert next(first) == next(second)
    assert list(first) == list(second)
    assert len(list(trace)) == trace.info.requests


def test_a_file_that_changed_since_it_was_checked_is_refused(tmp_path: Path) -> None:
    path = write_mooncake(tmp_path / "t.jsonl", [mooncake_row(n) for n in range(5)])
    trace = read_trace(path)
    write_mooncake(path, [mooncake_row(n) for n in range(4)])
    with pytest.raises(TraceError, match="changed since it was checked"):
        list(trace.requests)


def test_reading_needs_no_torch() -> None:
    code = (
        "import sys, app.traces.reader, app.traces.describe, app.sizing.plan, app.sizing.flags;"
        "sys.exit('torch' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, env=os.environ, check=False)
    assert done.returncode == 0
