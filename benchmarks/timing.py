"""Medians of calls taken in turn, so that what slows the machine slows both sides."""

import gc
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: long enough for the clock, short enough to interleave often
ROUND_S = 0.004
ROUNDS = 15


@contextmanager
def without_collector() -> Iterator[None]:
    """No garbage collection inside; what it finds belongs to nobody's call."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def medians(*calls: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """Seconds per call, each the median of `rounds`, all measured in turn."""
    counts = [_repeats(call) for call in calls]
    times: list[list[float]] = [[] for _ in calls]
    with without_collector():
        for _ in range(rounds):
            for call, count, taken in zip(calls, counts, times, strict=True):
                taken.append(_time(call, count))
    return [statistics.median(taken) for taken in times]


def once(call: Callable[[], object]) -> float:
    """Seconds of one call."""
    with without_collector():
        return _time(call, 1)


def _repeats(call: Callable[[], object]) -> int:
    call()
    count = 1
    while (taken := _time(call, count) * count) < ROUND_S:
        count = max(count * 2, int(count * ROUND_S / max(taken, 1e-9)))
    return count


def _time(call: Callable[[], object], count: int) -> float:
    began = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - began) / count
