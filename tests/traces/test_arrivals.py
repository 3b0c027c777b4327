"""Arrivals: drawn and spread, and the options that ask for it."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.traces.arrivals import poisson, spread
from app.traces.errors import TraceError
from app.traces.options import ReadOptions, poisson_rate, window_s
from app.traces.reader import read_trace
from tests.traces.files import mooncake_row, write_mooncake
from tests.traces.samples import write


def test_drawn_arrivals_have_the_rate_and_follow_the_seed() -> None:
    drawn = poisson(20_000, 4.0, 1)
    assert drawn[0] == 0
    assert 20_000 / (drawn[-1] / 1e9) == pytest.approx(4.0, rel=0.03)
    gaps = np.diff(drawn)
    assert gaps.std() / gaps.mean() == pytest.approx(1.0, abs=0.03)
    assert np.array_equal(drawn, poisson(20_000, 4.0, 1))
    assert not np.array_equal(drawn, poisson(20_000, 4.0, 2))


def test_a_file_without_arrivals_asks_for_them(tmp_path: Path) -> None:
    path = write(tmp_path, "vidur-lengths")
    with pytest.raises(TraceError, match="--arrivals poisson:RATE"):
        read_trace(path)
    trace = read_trace(path, ReadOptions(arrivals="poisson:2", seed=5))
    assert [one.arrival_ns for one in trace] == poisson(9, 2.0, 5).tolist()
    assert trace.info.arrivals == "drawn"
    assert trace.info.notes[0].startswith("arrivals are drawn (poisson:2, seed 5): ")


def test_drawn_arrivals_may_replace_a_files_own_and_say_so(tmp_path: Path) -> None:
    path = write(tmp_path, "mooncake")
    trace = read_trace(path, ReadOptions(arrivals="poisson:2"))
    assert "the file's own are not used" in trace.info.notes[0]
    assert [one.arrival_ns for one in trace] == poisson(30, 2.0, 0).tolist()


def test_a_tick_is_spread_up_to_the_next_and_never_over_a_silence() -> None:
    ticks = np.array([0, 0, 0, 3000, 3000, 6000, 60_000, 60_000], np.int64)
    assert spread(ticks).tolist() == [0, 1000, 2000, 3000, 4500, 6000, 60_000, 61_500]
    assert spread(np.array([7, 7], np.int64)).tolist() == [7, 7]


@given(st.lists(st.integers(0, 20), min_size=1, max_size=60))
def test_spreading_keeps_order_and_stays_within_its_tick(times: list[int]) -> None:
    ticks = np.sort(np.array(times, np.int64)) * 1_000
    moved = spread(ticks)
    assert (np.diff(moved) >= 0).all()
    assert (moved >= ticks).all()
    distinct = np.unique(ticks)
    if len(distinct) > 1:
        later = np.append(distinct[1:], np.iinfo(np.int64).max)
        assert (moved < later[np.searchsorted(distinct, ticks)]).all()


def test_spreading_is_asked_for_and_labelled(tmp_path: Path) -> None:
    rows = [mooncake_row(3000 * (n // 10)) for n in range(40)]
    path = write_mooncake(tmp_path / "t.jsonl", rows)
    plain, moved = read_trace(path), read_trace(path, ReadOptions(spread_ticks=True))
    assert len({one.arrival_ns for one in plain}) == 4
    assert len({one.arrival_ns for one in moved}) == 40
    assert moved.info.arrivals == "spread"
    assert any("spread up to the next, as asked" in note for note in moved.info.notes)
    assert not any("ticks of the log" in note for note in moved.info.notes)


@pytest.mark.parametrize("given", ["poisson", "poisson:", "poisson:0", "poisson:-1", "gamma:2",
                                   "poisson:nan", "poisson:inf", "3"])  # fmt: skip
def test_wrong_arrivals_say_what_is_right(given: str) -> None:
    with pytest.raises(ValueError, match="give poisson:RATE"):
        ReadOptions(arrivals=given)


@pytest.mark.parametrize("given", ["5", "5:", ":5", "9:3", "-1:5", "a:b", "nan:5"])
def test_a_wrong_window_says_what_is_right(given: str) -> None:
    with pytest.raises(ValueError, match="give START:END"):
        ReadOptions(window=given)


def test_nothing_asked_is_nothing() -> None:
    assert poisson_rate(None) is None
    assert window_s(None) is None
    assert window_s("600:1800.5") == (600.0, 1800.5)
