"""The unit of timestamps: judged by rate, shown, never silent."""

import numpy as np
import pytest
from numpy.typing import NDArray

from app.traces.unit_names import NS_PER_TICK
from app.traces.units import decide_unit, show_rate, show_seconds, show_time


def _arrivals(rate_per_s: float, unit: str, rows: int = 400) -> NDArray[np.float64]:
    gaps = np.random.default_rng(3).exponential(1 / rate_per_s, rows)
    ticks: NDArray[np.float64] = np.rint(np.cumsum(gaps) * 1e9 / NS_PER_TICK[unit])
    ticks -= ticks[0]
    return ticks


@pytest.mark.parametrize("unit", ["ns", "us", "ms", "s"])
def test_each_unit_is_found_at_a_usual_rate(unit: str) -> None:
    assert decide_unit(_arrivals(1.0, unit), 0, "ms", None).name == unit


@pytest.mark.parametrize("rate", [0.02, 0.3, 3.4, 40.0, 150.0])
def test_the_documented_unit_stands_while_its_rate_is_plausible(rate: float) -> None:
    unit = decide_unit(_arrivals(rate, "ms"), 0, "ms", None)
    assert (unit.name, unit.why) == ("ms", "")


def test_a_unit_that_was_not_documented_says_why() -> None:
    unit = decide_unit(_arrivals(1.0, "s"), 0, "ms", None)
    assert "milliseconds would mean" in unit.why
    assert "req/s" in unit.why


@pytest.mark.parametrize(
    ("first", "unit"),
    [(1.7e9, "s"), (1_700_000_000_000, "ms"), (17 * 10**14, "us"), (17 * 10**17, "ns")],
)
def test_dates_since_1970_tell_their_unit_by_size(first: float, unit: str) -> None:
    assert decide_unit(np.array([0.0, 5.0]), first, "ms", None).name == unit


def test_one_wild_timestamp_decides_nothing() -> None:
    ticks = _arrivals(3.0, "ms")
    ticks[200] = 1e15
    assert decide_unit(ticks, 0, "ms", None).name == "ms"


def test_few_rows_and_a_single_instant_keep_the_documented_unit() -> None:
    assert decide_unit(np.arange(5.0), 0, "ms", None).name == "ms"
    assert decide_unit(np.zeros(50), 0, "ms", None).name == "ms"


def test_no_plausible_unit_is_said() -> None:
    ticks = np.arange(100.0) * 1e16
    assert "no unit gives a plausible rate" in decide_unit(ticks, 0, "ms", None).why


def test_an_override_wins() -> None:
    unit = decide_unit(_arrivals(3.0, "ms"), 0, "ms", "s")
    assert (unit.name, unit.why) == ("s", "as told")


def test_figures_are_spelled_for_people() -> None:
    assert show_rate(3.0754) == "3.08 req/s"
    assert show_rate(3075.4) == "3,075 req/s"
    assert show_rate(0.003) == "0.003 req/s"
    assert show_seconds(1299.0) == "1,299 s"
    assert show_seconds(2.345) == "2.35 s"
    assert show_time(27482, "ms") == "27,482 ms"
    assert show_time(10**9 + 5 * 10**8, "datetime") == "1970-01-01 00:00:01.5"
    assert show_time(0, "datetime") == "1970-01-01 00:00:00"
