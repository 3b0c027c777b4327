"""A trace as labels and values."""

from pathlib import Path

from app.traces.describe import describe
from app.traces.reader import read_trace
from tests.traces.files import SAMPLES, mooncake_row, write_azure, write_mooncake


def test_units_rate_span_and_blocks_are_shown_together() -> None:
    shown = dict(describe(read_trace(SAMPLES / "mooncake_small.jsonl").info))
    assert shown["format"] == "mooncake"
    assert shown["rows"] == "48, all used"
    assert shown["timestamps"] == "milliseconds"
    assert shown["rate"] == "4.41 req/s"
    assert shown["span"] == "11 s"
    assert (
        shown["prefixes"] == "chained hash ids of 512 tokens, rounded up, one id space for the file"
    )
    assert shown["input tokens"].startswith("p50 1,512 · p95 6,056 · max 7,765")


def test_a_trace_without_prefixes_never_shows_a_hit_rate_of_zero() -> None:
    shown = describe(read_trace(SAMPLES / "azure2023_small.csv").info)
    assert ("prefixes", "no prefix information") in shown
    assert not any("0 %" in value for _, value in shown)


def test_dropped_rows_are_shown_by_reason_and_by_line(tmp_path: Path) -> None:
    rows = ["2023-05-04 10:00:00,5,5", "2023-05-04 10:00:01,5,0", "2023-05-04 10:00:02,5,5"]
    shown = describe(read_trace(write_azure(tmp_path / "t.csv", rows)).info)
    assert ("rows", "3, 2 used; dropped: 1 zero-output-tokens") in shown
    assert ("wrong row", "t.csv:3: GeneratedTokens: 0 tokens") in shown


def test_one_instant_has_no_rate(tmp_path: Path) -> None:
    path = write_mooncake(tmp_path / "t.jsonl", [mooncake_row(0), mooncake_row(0)])
    info = read_trace(path).info
    assert (info.span_s, info.rate_per_s) == (0.0, 0.0)
    assert ("rate", "all at one instant") in describe(info)


def test_ticks_silences_and_a_shared_start_are_pointed_out(tmp_path: Path) -> None:
    times = [3000 * (n // 5) for n in range(50)] + [900_000]
    path = write_mooncake(tmp_path / "t.jsonl", [mooncake_row(time) for time in times])
    notes = " | ".join(read_trace(path).info.notes)
    assert "50 of 51 arrivals share their instant with another, up to 5 at once" in notes
    assert "one silence of 873 s, after request 50," in notes
    assert "51 of 51 prompts begin with the same hash id" in notes
