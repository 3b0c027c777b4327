"""`poolscope validate`: figures by their definitions, wrong folders by name, the real runs."""

import json
from pathlib import Path

import numpy as np
import pytest

from app.cli import main
from app.engine.validate.compare import binding, occupancy_error, targets
from app.engine.validate.measured import RunError
from app.engine.validate.read_run import read_run
from app.engine.validate.summary import summarize
from app.engine.validate.validate import validate
from tests.engine.validate.test_predict import recorded

ALL = np.array([True, True, True])
RUNS = ("RTX4090__Llama-3.1-8B", "RTXPRO6000__Qwen3-30B-A3B-Instruct-2507")


@pytest.mark.parametrize(
    ("running", "waiting", "occupancy", "said"),
    [
        ([5, 8, 8], [0, 0, 3], [0.5, 0.6, 0.7], "slots"),
        ([5, 8, 8], [0, 0, 3], [0.5, 0.6, 0.99], "kv"),
        ([5, 8, 8], [0, 0, 0], [0.5, 1.0, 1.0], "none"),
        ([5, 7, 7], [0, 2, 3], [0.5, 0.9, 0.98], "none"),
        ([5, 8, 8], [0, 0, 3], None, "slots"),
    ],
)
def test_binding_limit(
    running: list[float], waiting: list[float], occupancy: list[float] | None, said: str
) -> None:
    shown = None if occupancy is None else np.array(occupancy)
    assert binding(np.array(running), np.array(waiting), shown, 8, ALL) == said


def test_occupancy_error_is_in_points_and_null_where_not_reported() -> None:
    measured = np.array([0.5, 0.6, 0.7])
    assert occupancy_error(measured, np.array([0.5, 0.5]), ALL) == pytest.approx(80 / 3, abs=1e-3)
    assert occupancy_error(None, measured, ALL) is None


def test_targets_name_what_is_missed() -> None:
    figures = {
        "binding_limit": {"predicted": "kv", "measured": "slots"},
        "peak_running": {"predicted": 94, "measured": 100},
        "occupancy_mae_points": 5.1,
    }
    assert not any(targets(figures).values())
    figures["peak_running"] = {"predicted": 95, "measured": 100}
    assert targets(figures)["peak_within_5_percent"] is True


def test_a_run_of_known_rules_is_predicted(tmp_path: Path) -> None:
    recorded(tmp_path, 2, 500, 64, count=200)
    result = validate(tmp_path)
    assert result["targets"]["binding_limit_right"]
    assert result["binding_limit"]["measured"] == "kv"
    peak = result["peak_running"]
    assert abs(peak["predicted"] - peak["measured"]) <= 2
    for block in (result, result["second_half"]):
        for quantile in ("p50", "p95"):
            wait = block["queue_wait_s"][quantile]
            assert wait["predicted"] == pytest.approx(wait["measured"], rel=0.1)
    assert result["trivial"]["peak_running"]["predicted"] == 64
    assert "nothing of SGLang's admission" in result["scope"]


def test_without_a_fit_the_waits_are_far_off(tmp_path: Path) -> None:
    recorded(tmp_path, 0, 320, 64, count=150)
    result = validate(tmp_path)
    wait = result["defaults"]["queue_wait_s"]["p50"]
    assert abs(wait["predicted"] - wait["measured"]) > 0.3 * wait["measured"]


@pytest.mark.parametrize("name", RUNS)
def test_measured_runs_reach_the_targets(
    tmp_path: Path, shared_data: Path | None, name: str
) -> None:
    if shared_data is None:
        recorded(tmp_path, 3, 500, 10, ranks=2, count=120)
        folder = tmp_path
    else:
        folder = shared_data / "traces/vllm_measured" / name
    result = validate(folder)
    assert False not in result["targets"].values(), summarize(result)
    assert result["pools"]["violations"] == 0
    second = result["second_half"]["queue_wait_s"]["p50"]
    assert second["predicted"] == pytest.approx(second["measured"], rel=0.25, abs=0.5)


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("meta.json", "{", "[", "meta.json: no JSON"),
        ("meta.json", '"max_num_seqs": 64', '"max_num_seqs": "many"', "max_num_seqs: 'many'"),
        ("meta.json", '"max_num_seqs": 64', '"other": 64', "max_num_seqs: the server did not"),
        ("requests.jsonl", '"input_toks": ', '"input_toks": -', "requests.jsonl:1: input_toks"),
        ("requests.jsonl", '"queued_ts": ', '"queued_ts": 9', "requests.jsonl:1: queued_ts"),
        ("timeseries.csv", "running", "runing", "timeseries.csv:1: no column running"),
        ("timeseries.csv", "\n2,", "\nnan,", "timeseries.csv:3: t: 'nan'"),
        ("timeseries.csv", "\n2,", "\n0.5,", "time goes backwards"),
    ],
)
def test_what_is_wrong_in_a_folder_is_named(
    tmp_path: Path, file: str, old: str, new: str, said: str
) -> None:
    recorded(tmp_path, 0, 4_000, 64, count=20)
    path = tmp_path / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(RunError, match=said):
        read_run(tmp_path)


def test_a_constant_zero_is_not_reported(tmp_path: Path) -> None:
    recorded(tmp_path, 0, 4_000, 64, count=20)
    path = tmp_path / "timeseries.csv"
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([head, *(row.rsplit(",", 1)[0] + ",0.0" for row in rows)]))
    run = read_run(tmp_path)
    assert {tick.occupancy_frac for tick in run.ticks} == {None}
    assert "not reported" in run.notes[0]


def test_command_writes_json_and_refuses_what_is_no_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", str(tmp_path)]) == 3
    assert "meta.json, requests.jsonl, timeseries.csv not found" in capsys.readouterr().err
    recorded(tmp_path, 0, 320, 64, count=60)
    code = main(["validate", str(tmp_path), "--json"])
    result = json.loads(capsys.readouterr().out)
    assert code == int(False in result["targets"].values())
    assert set(result["queue_wait_s"]) == {"p50", "p95"}
    assert main(["validate", str(tmp_path)]) == code
    assert "predicted / measured" in capsys.readouterr().out
