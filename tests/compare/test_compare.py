"""Cells in processes of their own: same hashes as alone, failures are rows, the report stands."""

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from app.cli import main
from app.compare.comparison import Comparison, compare
from app.compare.grid import cells_of
from app.compare.judge import SHAKES, row_of
from app.compare.report import html
from app.compare.runner import Runner
from app.engine.replay import replay
from app.sizing.server_args import ServerArgs
from tests.compare.traces import bursts

SMALL = ServerArgs(
    max_total_tokens=65_536, context_length=4_096, mm_feature_cache_mb=0, hicache_ratio=0.0
)


def test_cell_equals_the_same_replay_alone(tmp_path: Path) -> None:
    trace = bursts(tmp_path / "t.jsonl")
    cells = cells_of(SMALL, {"--max-running-requests": ["2", "32"]})
    rows = Runner(trace).run([(cell, {}) for cell in cells])
    for cell, row in zip(cells, rows, strict=True):
        assert row["result_hash"] == replay(trace, cell.server)["result_hash"]


def test_comparison_finds_the_limit_and_takes_the_setting_without_it(tmp_path: Path) -> None:
    trace = bursts(tmp_path / "t.jsonl")
    cells = cells_of(SMALL, {"--max-running-requests": ["2", "32"], "--page-size": ["1", "131072"]})
    result = compare(Runner(trace), cells)
    few, impossible, many, _ = result.rows
    assert (few["binding_limit"], few["peak_running"]) == ("slots", 2)
    assert few["queue_wait_s"]["p95"] > many["queue_wait_s"]["p95"]
    assert many["binding_limit"] == "none"
    assert "larger than the whole KV pool" in impossible["problem"]
    assert result.chosen == 2
    assert [one["change"] for one in result.robustness] == [name for name, _ in SHAKES]
    assert result.robustness[0]["verdict"] == "robust"
    shown = result.as_dict()
    assert shown["recommended"]["flags"] == {"--max-running-requests": 32, "--page-size": 1}
    assert shown["cannot_see"]
    json.dumps(shown)


def test_a_cell_that_is_killed_is_one_failed_row(tmp_path: Path) -> None:
    trace = bursts(tmp_path / "t.jsonl", requests=6_000)
    cells = cells_of(SMALL, {"--max-running-requests": ["4", "8"]})
    runner = Runner(trace)

    def kill_one() -> None:
        while not runner._running:
            time.sleep(0.02)
        os.kill(next(iter(runner._running)).pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    rows = runner.run([(cell, {}) for cell in cells])
    killer.join()
    problems = [row["problem"] for row in rows if "problem" in row]
    assert len(problems) == 1
    assert "SIGKILL" in problems[0]


def test_time_that_runs_out_is_said(tmp_path: Path) -> None:
    trace = bursts(tmp_path / "t.jsonl", requests=6_000)
    cells = cells_of(SMALL, {"--max-running-requests": ["4"]})
    (row,) = Runner(trace, max_seconds=0.5).run([(cells[0], {})])
    assert "--max-seconds 0.5" in row["problem"]


def test_report_is_deterministic_and_needs_nothing_else(tmp_path: Path) -> None:
    trace = bursts(tmp_path / "t.jsonl")
    cells = cells_of(SMALL, {"--max-running-requests": ["2", "32"]})
    jobs = [(cell, {}) for cell in cells]
    runs = [[row_of(row) for row in Runner(trace).run(jobs)] for _ in range(2)]
    one, other = (
        html(Comparison({}, rows, [[], []], 1, "Take it.", []), trace, "poolscope") for rows in runs
    )
    assert one == other
    assert "http://" not in one
    assert "https://" not in one
    assert "<script" not in one


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--page-sise", "1,2"], 2, "did you mean '--page-size'"),
        (["--page-size", "1,x"], 2, "give a number"),
        (["--page-size"], 2, "a value is missing"),
    ],
)
def test_wrong_flags_are_named(
    words: list[str], code: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", str(bursts(tmp_path / "t.jsonl")), *words]) == code
    assert said in capsys.readouterr().err


def test_command_prints_json_and_writes_the_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, report = bursts(tmp_path / "t.jsonl"), tmp_path / "r.html"
    flags = [
        "--max-running-requests",
        "2,32",
        "--max-total-tokens",
        "65536",
        "--hicache-ratio",
        "0",
    ]
    assert main(["compare", str(trace), *flags, "--json", "--html", str(report)]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert {"cells", "recommended", "robustness", "cannot_see"} <= shown.keys()
    assert "--max-running-requests 32" in report.read_text()
