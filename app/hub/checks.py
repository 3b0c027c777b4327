"""Checks for cron and monitoring: one number of a host against two thresholds.

A check takes the best value of its window, so that a dip that has passed alarms nobody.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from app.hub.history import COLUMNS
from app.hub.state import HostState
from app.wire.frame import Header

Status = Literal["ok", "warning", "critical", "unknown"]

#: (value over the last so many seconds, capacity); None when the host has no such pool
Reading = tuple[float, float] | None


class BadThreshold(ValueError):
    """A threshold that is no number; the text says what is accepted."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        read: the value and what a percentage is of, over a window of seconds.
        warn, crit: defaults, as one would type them.
        low: whether a low value is the bad one.
        code: catalog entry that says what to do.
        about: one sentence.
    """

    name: str
    unit: str
    read: Callable[[HostState, float], Reading]
    warn: str
    crit: str
    low: bool
    code: str | None
    about: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check found. `value` is in `unit`; null when unknown."""

    name: str
    host: str
    status: Status
    value: float | None
    unit: str
    of: float | None
    warn: float | None
    crit: float | None
    low: bool
    for_s: float
    source: str | None
    text: str
    href: str | None


def evaluate(
    check: Check, state: HostState, warn: str | None, crit: str | None, for_s: float
) -> Outcome:
    """Run one check on a host.

    Raises:
        BadThreshold: naming the threshold.
    """
    reading = check.read(state, for_s) if state.scalars is not None else None
    source = state.scalars["source"] if state.scalars is not None else None
    of = reading[1] if reading else None
    limits = [threshold(text, of) for text in (warn or check.warn, crit or check.crit)]
    status, text = _judge(check, state, reading, limits)
    return Outcome(
        check.name, state.name, status, reading[0] if reading else None, check.unit, of,
        limits[0], limits[1], check.low, for_s, source, text,
        f"/errors/{check.code}" if check.code else None,
    )  # fmt: skip


def threshold(text: str, of: float | None) -> float:
    """`10%` of a capacity, or a plain number.

    Raises:
        BadThreshold: neither.
    """
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100 * (of or 0.0)
        return float(text)
    except ValueError as error:
        raise BadThreshold(f"threshold {text!r}: give a number, or a share such as 10%") from error


def _judge(
    check: Check, state: HostState, reading: Reading, limits: list[float]
) -> tuple[Status, str]:
    if state.state not in ("live", "paused") and check.name != "host-fresh":
        return "unknown", f"host {state.name} is {state.state}"
    if reading is None:
        return "unknown", f"host {state.name} has no pool for this check"
    value, _ = reading
    side = "below" if check.low else "above"
    for status, limit in (("critical", limits[1]), ("warning", limits[0])):
        if value < limit if check.low else value > limit:
            return status, f"{value:,.6g} {check.unit}, {side} {limit:,.6g}"  # type: ignore[return-value]
    return "ok", f"{value:,.6g} {check.unit}"


def _history_best(state: HostState, pool: Header, columns: tuple[str, ...], for_s: float) -> float:
    now = float(sum(pool[column] for column in columns))
    if for_s <= 0:
        return now
    rows = state.history.since(pool["name"], float(state.scalars["t"]) - for_s)  # type: ignore[index]
    past = [sum(row[COLUMNS.index(column)] for column in columns) for row in rows]
    return max([now, *past])


def _pool(state: HostState, *kinds: str) -> Header | None:
    return next((pool for pool in state.pools.values() if pool["kind"] in kinds), None)


def _amount(columns: tuple[str, ...], *kinds: str) -> Callable[[HostState, float], Reading]:
    def read(state: HostState, for_s: float) -> Reading:
        pool = _pool(state, *kinds)
        if pool is None:
            return None
        return _history_best(state, pool, columns, for_s), float(pool["capacity"])

    return read


def _leaked(state: HostState, for_s: float) -> Reading:
    return float(sum(abs(pool["leaked"]) for pool in state.pools.values())), 0.0


def _largest_fit(state: HostState, for_s: float) -> Reading:
    pool = _pool(state, "mm_feature")
    ranges: Any = pool and pool["free_ranges"]
    return (float(ranges["largest_fit_now"]), float(pool["capacity"])) if pool and ranges else None


def _headroom(state: HostState, for_s: float) -> Reading:
    pool = _pool(state, "mm_feature")
    wear: Any = pool and pool["generations"]
    return (float(wear["limit"] - wear["max"]), float(wear["limit"])) if wear else None


def _age(state: HostState, for_s: float) -> Reading:
    return max(state.age_s, state.engine_age_s), 0.0


CHECKS: dict[str, Check] = {
    check.name: check
    for check in (
        Check("conserved", "units", _leaked, "0", "0", False, "pool-integrity-broken",
              "units that no book accounts for, or that two do"),
        Check("request-slots", "slots", _amount(("available",), "request_slots"), "10%", "2%", True,
              "alloc-req-slots-exhausted", "free request rows"),
        Check("kv-reclaimable", "units",
              _amount(("available", "evictable"), "kv_pages", "kv_tokens"), "10%", "3%", True,
              "kv-decode-oom", "KV units that are free or can be evicted: a warm cache passes"),
        Check("mm-largest-fit", "bytes", _largest_fit, "10%", "2%", True, "mm-ipc-pool-full",
              "the largest feature that fits now"),
        Check("generation-headroom", "generations", _headroom, "10%", "1%", True,
              "mm-slot-generation-exhausted", "generations that the hottest slot has left"),
        Check("host-fresh", "seconds", _age, "3", "10", False, None,
              "age of the newest sample, or of a stuck engine"),
    )
}  # fmt: skip
