"""ServeGen tables: windows, shapes, lengths, images, and what is wrong with them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.traces.errors import RowProblem, TraceError
from app.traces.options import ReadOptions
from app.traces.rate_tables import LengthTables, Window, parse_distribution, parse_window
from app.traces.reader import read_trace
from tests.traces.samples import LENGTHS, servegen_client

IDLE = [f"{at},0,0,,0,0" for at in range(0, 1800, 600)]
BUSY = [f"{at},0.5,1.0,Gamma,1.1,1.8" for at in range(1800, 9000, 600)]


def test_the_first_hour_that_is_not_idle_becomes_requests(tmp_path: Path) -> None:
    trace = read_trace(servegen_client(tmp_path, IDLE + BUSY, LENGTHS))
    requests = list(trace)
    assert len(requests) == 0.5 * 3600
    assert {one.input_tokens for one in requests} == {100, 200}
    assert {one.output_tokens for one in requests} == {7}
    assert requests[-1].arrival_ns < 3600 * 10**9
    assert any("the first hour that is not idle" in note for note in trace.info.notes)


def test_a_window_can_be_chosen_and_the_seed_changes_only_the_draw(tmp_path: Path) -> None:
    path = servegen_client(tmp_path, IDLE + BUSY, LENGTHS)
    chosen = read_trace(path, ReadOptions(window="3000:3900"))
    assert len(chosen) == pytest.approx(0.5 * 900, rel=0.15)
    same, other = (read_trace(path, ReadOptions(window="3000:3900", seed=s)) for s in (0, 1))
    assert list(chosen) == list(same)
    assert list(chosen) != list(other)
    with pytest.raises(TraceError, match=r"no request between 0 and 600 s.*--window"):
        read_trace(path, ReadOptions(window="0:600"))


def test_an_idle_table_says_so(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no request in the whole table"):
        read_trace(servegen_client(tmp_path, IDLE, LENGTHS))


@pytest.mark.parametrize(
    ("family", "shape"), [("Gamma", 0.05), ("Gamma", 4.0), ("Weibull", 0.22), ("", 0.0)]
)
def test_gaps_have_the_fitted_shape_and_the_windows_rate(family: str, shape: float) -> None:
    times = Window(600.0, 5.0, family, shape).arrivals_s(3000, np.random.default_rng(0))
    assert len(times) == 3000
    assert times.min() >= 600
    assert times.max() <= 1200
    assert (np.diff(times) >= 0).all()
    gaps = np.diff(times)
    variation = gaps.std() / gaps.mean()
    if family == "Gamma":
        assert variation == pytest.approx(shape**-0.5, rel=0.25)
    elif family == "Weibull":
        assert variation > 4
    else:
        assert variation == pytest.approx(1.0, rel=0.1)


def test_images_carry_the_bytes_of_their_tokens(tmp_path: Path) -> None:
    lengths = {
        "0": {
            "text_tokens": "{1000: 1.0}",
            "image_tokens": "{64: 1.0}",
            "audio_tokens": "{0: 1.0}",
            "image_count": "{1: 0.5, 3: 0.5}",
            "output_tokens": "{9: 1.0}",
        }
    }
    trace = read_trace(servegen_client(tmp_path, BUSY[:1], lengths))
    for one in trace:
        assert one.input_tokens == 1000 + 64 * len(one.image_bytes)
        assert set(one.image_bytes) == {64 * 9408}
    assert trace.info.images == sum(len(one.image_bytes) for one in trace)
    assert any("9,408 bytes a token, an estimate" in note for note in trace.info.notes)


def test_windows_without_lengths_are_counted_and_left_out(tmp_path: Path) -> None:
    lengths = {"0": LENGTHS["0"], "21600": {"input_tokens": "{}", "output_tokens": "{}"}}
    windows = ["21000,0.5,1,,0,0", "21600,0.1,1,,0,0"]
    info = read_trace(servegen_client(tmp_path, windows, lengths)).info
    assert (info.requests, info.rows_dropped) == (300, {"no-lengths": 60})


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"0,0.5,1,Gamma,1.1", "wrong-column-count"),
        (b"0,x,1,Gamma,1.1,1", "wrong-type"),
        (b"0,-1,1,Gamma,1.1,1", "out-of-range"),
        (b"0,nan,1,Gamma,1.1,1", "out-of-range"),
        (b"0,1e9,1,Gamma,1.1,1", "out-of-range"),
        (b"0,1,1,Pareto,1.1,1", "unknown-distribution"),
        (b"0,1,1,Gamma,0,1", "out-of-range"),
    ],
)
def test_a_wrong_window_is_named(line: bytes, reason: str) -> None:
    with pytest.raises(RowProblem) as caught:
        parse_window(line)
    assert caught.value.reason == reason


def test_a_wrong_window_costs_nothing_but_itself(tmp_path: Path) -> None:
    windows = [BUSY[0], "2400,0.5,1,Pareto,1,1", *BUSY[2:]]
    info = read_trace(servegen_client(tmp_path, windows, LENGTHS)).info
    assert info.rows_dropped == {"unknown-distribution": 1}
    assert info.requests == 0.5 * 3000


def test_distributions_are_parsed_and_never_evaluated() -> None:
    values, weights = parse_distribution("{5: 1.0, 10.5: 3.0}")
    assert (values.tolist(), weights.tolist()) == ([5.0, 10.5], [0.25, 0.75])
    for text in ("{}", "{5: 0}", "[5]", "{5: __import__('os')}", "{1: 2} or 3", "{-: 1}", None, 7):
        with pytest.raises(ValueError, match=r"table|weights|float"):
            parse_distribution(text)


@pytest.mark.parametrize("content", ["", "[1]", '{"0": 5}', "[" * 10_000])
def test_a_wrong_length_table_is_named(content: str, tmp_path: Path) -> None:
    path = tmp_path / "chunk-7-dataset.json"
    path.write_text(content)
    with pytest.raises(TraceError, match=r"chunk-7-dataset\.json"):
        LengthTables(path)


def test_both_tables_and_their_names_are_needed(tmp_path: Path) -> None:
    path = servegen_client(tmp_path, BUSY, LENGTHS)
    (tmp_path / "chunk-7-dataset.json").unlink()
    with pytest.raises(TraceError, match="put it beside the table of rates"):
        read_trace(path)
    renamed = path.rename(tmp_path / "rates.csv")
    with pytest.raises(TraceError, match="keep the name"):
        read_trace(renamed)


def test_a_damaged_distribution_names_its_place(tmp_path: Path) -> None:
    lengths: dict[str, Any] = json.loads(json.dumps(LENGTHS))
    lengths["0"]["input_tokens"] = "{5: spam}"
    with pytest.raises(TraceError, match="input_tokens at 0 s"):
        read_trace(servegen_client(tmp_path, BUSY[:1], lengths))
