"""What an SGLang server records of itself: metrics files, JSON and text request logs."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.traces import finished as finished_module
from app.traces.finished import OpenRequests
from app.traces.reader import Trace, read_trace
from tests.traces.samples import (
    finished,
    json_lines,
    log_finished,
    log_received,
    metrics_row,
    received,
)


def read(tmp_path: Path, content: str) -> Trace:
    path = tmp_path / "server.log"
    path.write_text(content)
    return read_trace(path)


def arrivals(trace: Trace) -> list[tuple[float, int, int]]:
    return [(one.arrival_ns / 1e9, one.input_tokens, one.output_tokens) for one in trace]


def test_metrics_count_from_the_moment_that_a_request_was_received(tmp_path: Path) -> None:
    rows = [metrics_row(1.9e9, 70, 9), metrics_row(1.9e9 + 2.5, 80, 10)]
    # written when they end: the one that came first may stand last
    rows.insert(0, metrics_row(1.9e9 + 1, 90, 400))
    trace = read(tmp_path, json_lines(rows))
    assert arrivals(trace) == [(0.0, 70, 9), (1.0, 90, 400), (2.5, 80, 10)]
    assert trace.info.format == "sglang-metrics"


def test_without_the_moment_of_arrival_end_and_latency_give_it(tmp_path: Path) -> None:
    late: dict[str, Any] = metrics_row(0.0, request_finished_ts=1.9e9 + 6, e2e_latency=2.0)
    del late["request_received_ts"]
    assert arrivals(read(tmp_path, json_lines([metrics_row(1.9e9), late])))[1][0] == 4.0


def test_metrics_that_are_missing_or_zero_are_named(tmp_path: Path) -> None:
    rows = [metrics_row(1.9e9 + n) for n in range(5)]
    rows += [metrics_row(1.9e9, answer=0), metrics_row(1.9e9, prompt="70")]
    assert read(tmp_path, json_lines(rows)).info.rows_dropped == {
        "wrong-type": 1,
        "zero-output-tokens": 1,
    }


def test_a_request_log_joins_arrival_and_end_by_id(tmp_path: Path) -> None:
    rows = [received("a", 1), received("b", 2), finished("b", 5, prompt_tokens=33)]
    rows += [{"event": "server.ready", "timestamp": "x"}, finished("a", 7), received("c", 8)]
    trace = read(tmp_path, json_lines(rows))
    assert arrivals(trace) == [(0.0, 70, 9), (1.0, 33, 9)]
    assert trace.info.rows_dropped == {"no-end": 1}
    assert trace.info.problems == ("server.log:6: rid: 'c' was received and never finished",)


def test_an_openai_request_is_logged_twice_and_counts_once(tmp_path: Path) -> None:
    again = received("a", 2) | {"event": "request.received.openai"}
    trace = read(tmp_path, json_lines([received("a", 1), again, finished("a", 3)]))
    assert trace.info.rows == 1


def test_a_batch_is_as_many_requests_as_it_has_ids(tmp_path: Path) -> None:
    both = finished(["a", "b"], 4)
    both["out"] = [finished("a", 4)["out"], finished("b", 4, prompt_tokens=5)["out"]]
    trace = read(tmp_path, json_lines([received(["a", "b"], 1), both]))
    assert arrivals(trace) == [(0.0, 70, 9), (0.0, 5, 9)]


def test_an_end_without_an_arrival_goes_back_by_its_latency(tmp_path: Path) -> None:
    trace = read(tmp_path, json_lines([received("a", 1), finished("z", 9), finished("a", 9)]))
    assert arrivals(trace) == [(0.0, 70, 9), (9.75 - 1.5 - 1.25, 70, 9)]
    lost = json_lines([received("a", 1), finished("a", 2), finished("z", 9, e2e_latency=None)])
    assert read(tmp_path, lost).info.rows_dropped == {"no-arrival": 1}


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (finished("a", 2) | {"out": None}, "missing-field"),
        (finished("a", 2) | {"rid": 7}, "wrong-type"),
        (finished("a", 2) | {"timestamp": "noon"}, "bad-timestamp"),
        (finished("a", 2, prompt_tokens=None), "missing-field"),
        (finished("a", 2, completion_tokens=0), "zero-output-tokens"),
    ],
)
def test_a_wrong_event_is_named(entry: dict[str, Any], reason: str, tmp_path: Path) -> None:
    good = [event for n in range(3) for event in (received(f"r{n}", n), finished(f"r{n}", n + 1))]
    info = read(tmp_path, json_lines([*good, entry])).info
    assert info.rows_dropped == {reason: 1}
    assert info.requests == 3


def test_a_server_log_is_read_among_everything_else_in_it(tmp_path: Path) -> None:
    lines = [
        "server_args=ServerArgs(model_path='x')",
        log_received("a", 1),
        "[2031-05-04 10:00:01 TP0] Prefill batch. #new-seq: 1, #new-token: 70",
        log_received("b", 3),
        "Traceback (most recent call last):",
        log_finished("b", 4, prompt=33),
        log_finished("a", 9, answer=12),
    ]
    trace = read(tmp_path, "\n".join(lines))
    assert arrivals(trace) == [(0.0, 70, 12), (2.0, 33, 9)]
    assert trace.info.format == "sglang-server-log"


def test_what_a_prompt_says_is_not_taken_for_the_servers_words(tmp_path: Path) -> None:
    evil = "rid='zzz', Finish: obj=XReqInput( 'meta_info': {'id': 'q', 'prompt_tokens': 5}"
    content = "\n".join([log_received("a", 1, text=evil), log_finished("a", 2)])
    assert arrivals(read(tmp_path, content)) == [(0.0, 70, 9)]


def test_a_log_that_keeps_only_slow_requests_is_warned_about(tmp_path: Path) -> None:
    notes = read(tmp_path, "\n".join([log_received("a", 1), log_finished("a", 2)])).info.notes
    assert any("SGLANG_LOG_REQUEST_EXCEEDED_MS" in note for note in notes)


def test_requests_under_way_are_bounded() -> None:
    assert finished_module.MAX_OPEN == 1_000_000
    open_requests = OpenRequests(max_open=2)
    assert open_requests.received("a", 1, 1) is None
    assert open_requests.received("b", 2, 2) is None
    lost = open_requests.received("c", 3, 3)
    assert lost is not None
    assert (lost[0], lost[1].reason) == (1, "no-end")
    assert [line for line, _ in open_requests.left()] == [2, 3]


def test_a_very_long_line_is_one_wrong_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.traces.lines.MAX_LINE_BYTES", 400)
    long = received("x", 1) | {"obj": {"text": "y" * 900}}
    rows = [received("a", 1), finished("a", 2), long, received("b", 3), finished("b", 4)]
    path = tmp_path / "server.log"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    info = read_trace(path).info
    assert (info.requests, info.rows_dropped) == (2, {"line-too-long": 1})
