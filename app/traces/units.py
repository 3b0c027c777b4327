"""Which unit a file's timestamps are in, judged by the rate that each would mean."""

import datetime
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.traces.unit_names import NS_PER_TICK, WORDS

#: requests per second that one trace of one service shows
PLAUSIBLE_RATE = (0.01, 200.0)
TYPICAL_RATE = 3.0
#: fewer rows say nothing about a rate
MIN_ROWS = 20
#: seconds since 1970 of the years 2010 to 2040: a timestamp there is a clock's
EPOCH_S = (1.262e9, 2.209e9)


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit, and why when it is not simply the documented one ("" then)."""

    name: str
    why: str


def decide_unit(
    ticks: NDArray[np.float64], first: int | float, documented: str, override: str | None
) -> Unit:
    """The unit of a column of timestamps.

    Args:
        ticks: timestamps less `first`, in the file's order.
        first: the first row's timestamp.
        documented: the unit that the format's authors give.
        override: a unit that wins over all evidence.
    """
    if override is not None:
        return Unit(override, "as told")
    if documented == "datetime":
        return Unit(documented, "")
    epoch = _epoch_unit(first + float(ticks.min()), first + float(ticks.max()))
    if epoch is not None:
        return Unit(epoch, "" if epoch == documented else "they are dates of this age since 1970")
    per_tick = _rate_per_tick(ticks)
    if per_tick is None or _plausible(rate := _rate(per_tick, documented)):
        return Unit(documented, "")
    rates = {name: _rate(per_tick, name) for name in WORDS}
    fitting = {name: rate for name, rate in rates.items() if _plausible(rate)}
    implausible = f"{WORDS[documented]} would mean {show_rate(rate)}"
    if not fitting:
        return Unit(documented, f"no unit gives a plausible rate ({implausible})")
    best = min(fitting, key=lambda name: abs(np.log(fitting[name] / TYPICAL_RATE)))
    return Unit(best, implausible)


def show_rate(rate: float) -> str:
    """Three significant digits, with what it is a rate of."""
    digits = f"{rate:,.0f}" if rate >= 1000 else f"{rate:.3g}"
    return f"{digits} req/s"


def show_seconds(seconds: float) -> str:
    """Whole seconds from 10 up, three digits below."""
    return f"{seconds:,.0f} s" if seconds >= 10 else f"{seconds:.3g} s"


def show_time(value: int | float, unit: str) -> str:
    """A timestamp as its file has it, with its unit."""
    if unit == "none":
        return "none"
    if unit != "datetime":
        if not is_clock(value, unit):
            return f"{value:,} {unit}" if isinstance(value, int) else f"{value:,.6g} {unit}"
        # a double holds a date's microseconds and no more
        value = round(value * NS_PER_TICK[unit] / 1000) * 1000
    seconds, ns = divmod(int(value), 10**9)
    moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    return f"{moment:%Y-%m-%d %H:%M:%S}.{ns:09d}".rstrip("0").rstrip(".")


def is_clock(value: int | float, unit: str) -> bool:
    """Whether a timestamp is a clock's, a date of this age, rather than a count from a start."""
    if unit in ("datetime", "none"):
        return unit == "datetime"
    return EPOCH_S[0] <= value * NS_PER_TICK[unit] / 1e9 <= EPOCH_S[1]


def _epoch_unit(low: float, high: float) -> str | None:
    for name in WORDS:
        ticks_per_s = 1e9 / NS_PER_TICK[name]
        if EPOCH_S[0] * ticks_per_s <= low and high <= EPOCH_S[1] * ticks_per_s:
            return name
    return None


def _rate_per_tick(ticks: NDArray[np.float64]) -> float | None:
    """Rows per tick over the middle half, so that one wild timestamp decides nothing."""
    if len(ticks) < MIN_ROWS:
        return None
    low, high = np.quantile(ticks, (0.25, 0.75))
    if high > low:
        return float(0.5 * len(ticks) / (high - low))
    span = float(ticks.max() - ticks.min())
    return len(ticks) / span if span > 0 else None


def _rate(per_tick: float, unit: str) -> float:
    return per_tick * 1e9 / NS_PER_TICK[unit]


def _plausible(rate: float) -> bool:
    return PLAUSIBLE_RATE[0] <= rate <= PLAUSIBLE_RATE[1]
