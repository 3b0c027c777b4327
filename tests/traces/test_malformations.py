"""What real trace files got wrong or do unlike the others; samples in their shape, written here."""

import dataclasses
import json
from pathlib import Path

import pytest

from app.traces.errors import TraceError
from app.traces.options import ReadOptions
from app.traces.reader import Trace, read_trace
from app.traces.recognise import recognise
from tests.traces.files import AZURE_HEADER, mooncake_row, write_azure, write_mooncake
from tests.traces.samples import csv_of, json_lines, session, turn

BURST = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type"
BURST_3 = "Timestamp,Session ID,Elapsed time,Model,Request tokens,Response tokens,Total tokens"
VIDUR = "arrived_at,num_prefill_tokens,num_decode_tokens"


def read(tmp_path: Path, content: str, **options: str) -> Trace:
    path = tmp_path / "trace"
    path.write_bytes(content.encode())
    return read_trace(path, ReadOptions(**options))  # type: ignore[arg-type]


def pairs(trace: Trace) -> list[tuple[int, int, int]]:
    return [(one.arrival_ns // 1000, one.input_tokens, one.output_tokens) for one in trace]


def test_every_unit_and_spelling_of_time_gives_the_same_requests(tmp_path: Path) -> None:
    at_s = range(0, 60, 2)
    epoch_s = 1_935_000_000
    written = {
        "float s": csv_of(VIDUR, [f"{t}.0,5,6" for t in at_s]),
        "whole s": csv_of(BURST, [f"{t},GPT-4,5,6,11,API log" for t in at_s]),
        "date": csv_of(AZURE_HEADER, [f"2031-05-04 10:00:{t:02}.0000000,5,6" for t in at_s]),
        "date, zone": csv_of(AZURE_HEADER, [f"2031-05-04 10:00:{t:02}+00:00,5,6" for t in at_s]),
        "ms": json_lines([mooncake_row(t * 1000, 5, output_length=6) for t in at_s]),
        "us": csv_of("t,in,out", [f"{(epoch_s + t) * 10**6},5,6" for t in at_s]),
        "ns": json_lines(
            [mooncake_row(str((epoch_s + t) * 10**9), 5, output_length=6) for t in at_s]
        ),
    }
    assert list(at_s) == [at for at, _, _ in _in_s(read(tmp_path, written["float s"]))]
    assert len({tuple(_in_s(read(tmp_path, content))) for content in written.values()}) == 1


def _in_s(trace: Trace) -> list[tuple[int, int, int]]:
    return [(one.arrival_ns // 10**9, one.input_tokens, one.output_tokens) for one in trace]


def test_a_fraction_is_missing_where_it_is_zero(tmp_path: Path) -> None:
    rows = ["2031-05-10 00:00:00+00:00,5,6", "2031-05-10 00:00:00.009930+00:00,5,6"]
    trace = read(tmp_path, csv_of(AZURE_HEADER, rows))
    assert [one.arrival_ns for one in trace] == [0, 9_930_000]


def test_the_dates_shown_are_the_rows_own(tmp_path: Path) -> None:
    rows = ["2031-05-16 18:15:46.6805900,5,6", "2031-05-16 18:15:50.9951690,5,6"]
    info = read(tmp_path, csv_of(AZURE_HEADER, rows)).info
    assert info.first_time == "2031-05-16 18:15:46.68059"


def test_the_last_row_needs_no_line_end_and_ends_may_be_crlf(tmp_path: Path) -> None:
    rows = ["2031-05-16 18:15:46.6805900,5,6", "2031-05-16 18:15:50.9951690,7,8"]
    path = write_azure(tmp_path / "t.csv", rows)
    assert not path.read_bytes().endswith(b"\n")
    assert pairs(read_trace(path))[-1][1:] == (7, 8)


def test_a_first_block_that_all_share_is_left_out_of_the_second_share(tmp_path: Path) -> None:
    rows = [mooncake_row(3000 * n, 1500, hash_ids=[0, 2 * n + 1, 2 * n + 2]) for n in range(40)]
    info = read_trace(write_mooncake(tmp_path / "t", rows)).info
    assert info.sharing is not None
    assert info.sharing.blocks_frac == pytest.approx(39 / 120)
    assert info.sharing.later_blocks_frac == 0.0
    assert any("count hits in blocks, not in requests" in note for note in info.notes)


def test_a_slice_counts_blocks_from_before_it_as_new(tmp_path: Path) -> None:
    rows = [mooncake_row(900_000 + 300 * n, 1000, hash_ids=[7000, 9000 + n]) for n in range(30)]
    notes = read_trace(write_mooncake(tmp_path / "t", rows)).info.notes
    assert any("taken as 0; blocks seen before it count as new" in note for note in notes)


def test_exact_copies_of_a_line_are_requests_sent_again(tmp_path: Path) -> None:
    rows = [mooncake_row(300 * (n // 2), 1000) for n in range(40)]
    info = read_trace(write_mooncake(tmp_path / "t", rows)).info
    assert (info.requests, info.rows_dropped) == (40, {})
    assert info.sharing is not None
    assert info.sharing.blocks_frac == pytest.approx(78 / 80)


def test_a_request_beyond_every_model_is_a_row_like_any_other(tmp_path: Path) -> None:
    rows = [mooncake_row(300 * n, 500) for n in range(30)] + [mooncake_row(9000, 191_378)]
    info = read_trace(write_mooncake(tmp_path / "t", rows)).info
    assert (info.rows_dropped, info.input_tokens.max) == ({}, 191_378)


def test_a_cap_on_lengths_stays_visible(tmp_path: Path) -> None:
    rows = [f"{n}.5,{7437 if n % 3 else 20},9" for n in range(60)]
    lengths = read(tmp_path, csv_of(VIDUR, rows)).info.input_tokens
    assert (lengths.p50, lengths.p95, lengths.max) == (7437, 7437, 7437)


def test_a_silence_and_the_wall_behind_it_are_pointed_out(tmp_path: Path) -> None:
    rows = [f"{t},5,6" for t in (*range(30), *(400 + n / 10 for n in range(30)))]
    notes = read(tmp_path, csv_of(VIDUR, rows)).info.notes
    assert any("one silence of 371 s, after request 30," in note for note in notes)


@pytest.mark.parametrize("failed", ["0,0,0", "310,0,310"])
def test_failed_requests_are_counted_apart(failed: str, tmp_path: Path) -> None:
    rows = [f"{9 * n},ChatGPT,40,6,46,API log" for n in range(30)]
    rows[7] = f"63,ChatGPT,{failed},API log"
    info = read(tmp_path, csv_of(BURST, rows)).info
    assert info.rows_dropped == {"failed-request": 1}
    assert info.problems[0].startswith("trace:9: Response tokens: 0 for ")


def test_columns_are_found_by_name_wherever_they_stand(tmp_path: Path) -> None:
    plain = read(tmp_path, csv_of(BURST, [f"{9 * n},GPT-4,40,6,46,API log" for n in range(30)]))
    wanted = pairs(plain)
    rows = [f'{9 * n}.0,"s,{n}",3.5,GPT-4,40,6,46' for n in range(30)]
    assert pairs(read(tmp_path, csv_of(BURST_3, rows))) == wanted


def test_lengths_without_arrivals_and_text_without_lengths(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="has no arrival times"):
        read(tmp_path, csv_of("num_prefill_tokens,num_decode_tokens", ["5,6"]))
    text = {"timestamp": 19 * 10**14, "input": "x" * 403, "output": "y" * 9, "session_id": "s"}
    trace = read(tmp_path, json_lines([text]))
    assert pairs(trace) == [(0, 100, 2)]
    assert any("token counts are an estimate" in note for note in trace.info.notes)


def test_the_last_line_may_be_the_earliest(tmp_path: Path) -> None:
    rows = [f"{t},{t + 1},6" for t in (30, 10, 20, 0)]
    trace = read(tmp_path, csv_of(VIDUR, rows))
    assert [one.input_tokens for one in trace] == [1, 11, 21, 31]


def test_an_empty_answer_is_one_token_and_an_empty_file_is_refused(tmp_path: Path) -> None:
    row = {"timestamp": 19 * 10**14, "input": "hi there", "output": "", "session_id": "s"}
    assert pairs(read(tmp_path, json_lines([row]))) == [(0, 2, 1)]
    with pytest.raises(TraceError, match="the file is empty"):
        read(tmp_path, "")


def test_repeated_history_is_found_in_text(tmp_path: Path) -> None:
    history = "".join(f"turn {n} says something; " for n in range(60))
    rows = [
        {
            "timestamp": 19 * 10**14 + n,
            "input": history[: 600 * n],
            "output": "ok",
            "session_id": "s",
        }
        for n in (1, 2)
    ]
    first, second = read(tmp_path, json_lines(rows))
    assert first.hash_ids is not None
    assert second.hash_ids is not None
    assert (len(first.hash_ids), len(second.hash_ids)) == (600 // 256, 1200 // 256)
    assert second.hash_ids[:2] == first.hash_ids
    assert len(set(second.hash_ids)) == 4


def test_monotonic_clocks_beside_the_wall_clock_are_not_mixed_in(tmp_path: Path) -> None:
    rows = [
        {"request_id": f"r-{n}", "input_toks": 9, "output_toks": 8, "arrival_time": 1.9e9 + n,
         "queued_ts": 27_536.6 - n, "last_token_ts": None}
        for n in range(5)
    ]  # fmt: skip
    trace = read(tmp_path, json_lines(rows))
    assert [one.arrival_ns // 10**9 for one in trace] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(("tokens", "ids", "rounding"), [(700, 44, "ceil"), (700, 43, "floor")])
def test_partial_blocks_count_or_do_not(
    tokens: int, ids: int, rounding: str, tmp_path: Path
) -> None:
    rows = [mooncake_row(300 * n, tokens, hash_ids=list(range(ids))) for n in range(30)]
    info = read_trace(write_mooncake(tmp_path / "t", rows)).info
    assert (info.block_size, info.rounding) == (16, rounding)
    told = ReadOptions(rounding="floor" if rounding == "ceil" else "ceil", block_size=16)
    with pytest.raises(TraceError, match="block-count-mismatch"):
        read_trace(tmp_path / "t", told)


def test_ids_that_come_back_behind_others_are_content_and_not_a_prefix(tmp_path: Path) -> None:
    rows = [mooncake_row(300 * n, 1000, hash_ids=[n, n + 1]) for n in range(30)]
    info = read_trace(write_mooncake(tmp_path / "t", rows)).info
    assert info.hash_ids == "content"
    assert info.sharing is not None
    assert info.sharing.blocks_frac == 0.0


def test_ids_of_a_varying_number_of_tokens_are_refused(tmp_path: Path) -> None:
    rows = [mooncake_row(n, 1000 + 97 * n, hash_ids=list(range(30 + n % 7))) for n in range(30)]
    with pytest.raises(TraceError, match="block-count-mismatch"):
        read_trace(write_mooncake(tmp_path / "t", rows))


def test_a_pointer_to_a_file_is_not_the_file(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="git lfs pull"):
        read(tmp_path, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")


def test_evenly_spaced_arrivals_look_generated(tmp_path: Path) -> None:
    rows = [f"{n},GPT-4,40,6,46,API log" for n in range(30)]
    notes = read(tmp_path, csv_of(BURST, rows)).info.notes
    assert any("look generated, not recorded" in note for note in notes)


def test_a_crash_dump_is_refused_and_the_reason_given(tmp_path: Path) -> None:
    path = tmp_path / "crash_dump.pkl"
    path.write_bytes(b"\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00cos\nsystem\n.")
    with pytest.raises(TraceError, match="never loaded: loading one runs whatever code it names"):
        recognise(path)


def test_options_leave_what_they_do_not_name_to_the_file(tmp_path: Path) -> None:
    content = json.dumps(session([turn(0.0, 130), turn(8.0, 260)]))
    plain = read(tmp_path, content)
    same = read(tmp_path, content, block_size=64)  # type: ignore[arg-type]
    assert dataclasses.replace(plain.info, notes=()) == dataclasses.replace(same.info, notes=())
