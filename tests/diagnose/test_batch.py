"""Batch lines of both punctuations and all pools, and usage over time in little memory."""

import pytest

from app.diagnose.batch import MAX_BINS, MAX_RANKS, Reading, Usage, engine_readings, readings
from app.diagnose.stamp import Stamp
from tests.diagnose.logs import at, batch


def only(line: str) -> Reading:
    ((_, reading),) = readings(line, 0, len(line))
    return reading


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (
            "Decode batch. #running-req: 4, #token: 9071, token usage: 0.01, #queue-req: 2, ",
            (4, 2, 0.01, None, None, 9071),
        ),
        (
            "Decode batch [17], #running-req: 4, #full token: 50, full token usage: 0.75, #swa "
            "token: 9, swa token usage: 0.05, cuda graph: True, #queue-req: 0",
            (4, 0, 0.75, 0.05, None, 50),
        ),
        (
            "Decode batch, #running-req: 8, #token: 30, token usage: 0.35, mamba num: 32, mamba "
            "usage: 0.80, #queue-req: 3",
            (8, 3, 0.35, None, 0.8, 30),
        ),
        (
            "Prefill batch, #new-seq: 1, #new-token: 64, #cached-token: 0, token usage: 0.10, "
            "#running-req: 7, #queue-req: 9, ",
            (7, 9, 0.1, None, None, None),
        ),
    ],
)
def test_fields(body: str, wanted: tuple[object, ...]) -> None:
    one = only(at(3, "TP2") + body)
    said = (one.running, one.queued, one.usage_frac, one.swa_usage_frac, one.mamba_usage_frac)
    assert (*said, one.tokens) == wanted
    assert one.stamp.rank == "TP2"


def test_vllm() -> None:
    line = (
        "INFO 10-14 17:04:48 [loggers.py:123] Running: 34 reqs, Waiting: 18 reqs, GPU KV cache "
        "usage: 99.2%"
    )
    ((_, reading),) = engine_readings(line, 0, len(line))
    assert (reading.running, reading.queued) == (34, 18)
    assert reading.usage_frac == pytest.approx(0.992)


@pytest.mark.parametrize("value", ["nan", "inf", "-1", "1e999", "x", ""])
def test_a_figure_that_is_none_is_left_out(value: str) -> None:
    line = f"Prefill batch, #new-seq: 1, token usage: {value}, #running-req: {value}, "
    assert (only(line).usage_frac, only(line).running) == (None, None)


def test_usage_keeps_the_highest_of_each_stretch_within_bounds() -> None:
    usage = Usage()
    for second in range(100_000):
        stamp = Stamp("t", float(second), f"TP{second % 4}")
        peak = 0.99 if second == 77_777 else 0.5
        usage.add(Reading("decode", stamp, 3, 1, peak))
    series = usage.series()
    assert len(series) <= MAX_BINS
    assert usage.width_s == 256
    assert [one.figures["usage_frac"] for one in series].count(0.99) == 1
    assert [one.at for one in series] == sorted(one.at for one in series)
    assert usage.count == 100_000


def test_ranks_without_end_do_not_fill_memory() -> None:
    usage = Usage()
    for number in range(MAX_RANKS * 3):
        usage.add(Reading("decode", Stamp("t", 1.0, f"TP{number}"), 1, 0, 0.1))
    assert len(usage.by_rank) == MAX_RANKS


def test_a_log_without_times_counts_readings() -> None:
    usage = Usage()
    for _ in range(5):
        usage.add(only(batch(1).partition("] ")[2]))
    assert [one.at for one in usage.series()] == [1, 2, 3, 4, 5]
