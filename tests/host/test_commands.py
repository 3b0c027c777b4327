"""Commands to a host: a bad argument is refused with what is accepted, and changes nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.host.commands import CommandError, run, trace_path
from app.host.config import HostConfig
from app.host.loop import HostLoop
from app.sizing.server_args import ServerArgs
from tests.engine.workloads import SMALL


@pytest.fixture
def loop(tmp_path: Path) -> HostLoop:
    """A host's loop that is connected to nobody; its thread of the connection is not started."""
    config = HostConfig(server=ServerArgs(**SMALL), scenario="steady", trace_dir=tmp_path)
    return HostLoop(config, "ws://127.0.0.1:9/ws/host", "token")


def test_step_pauses_and_advances(loop: HostLoop) -> None:
    result = run(loop, "step", {"steps": 7})
    assert (result["steps"], result["paused"]) == (7, True)
    assert loop.driver.stats()["step"] == 7
    assert run(loop, "resume", {})["paused"] is False


def test_scenario_starts_a_new_run(loop: HostLoop) -> None:
    run(loop, "step", {"steps": 50})
    run(loop, "scenario", {"scenario": "row-bound"})
    assert loop.driver.stats()["step"] == 0
    assert loop.driver.workload.name == "row-bound"


@pytest.mark.parametrize(
    ("name", "args", "named"),
    [
        ("nonsense", {}, "is none of"),
        ("step", {"steps": 0}, "1.."),
        ("step", {"steps": True}, "1.."),
        ("speed", {"x": 0}, "above 0"),
        ("speed", {"x": "fast"}, "max"),
        ("scenario", {"scenario": None}, "is none of"),
        ("inject", {"fault": "nonsense"}, "is none of"),
        ("inject", {"fault": "over-admission", "surprise": 1}, "over-admission"),
        ("load", {"trace": "missing.jsonl"}, "no file"),
        ("load", {"trace": "../../etc/passwd"}, "no file"),
        ("load", {"trace": ""}, "no file"),
        ("load", {"trace": "a\0b"}, "no file"),
        ("load", {"trace": "x" * 5000}, "no file"),
        ("load", {"trace": ["a"]}, "no file"),
        ("load", {}, "no file"),
        ("requests", {"limit": 0}, "1..1000"),
        ("requests", {"limit": "50"}, "1..1000"),
        ("step", {"steps": 100_001}, "1..1000"),
        ("step", {"steps": 2.0}, "1..1000"),
        ("speed", {}, "None"),
        ("speed", {"x": True}, "True"),
        ("speed", {"x": float("nan")}, "nan"),
        ("speed", {"x": 10**400}, "above 0"),
        ("speed", {"x": 1e7}, "above 0"),
        ("scenario", {"scenario": ["steady"]}, "is none of"),
        ("inject", {}, "is none of"),
        ("inject", {"fault": ["stale-release"]}, "is none of"),
        ("inject", {"fault": "over-admission", "driver": 1}, "over-admission"),
        ("inject", {"fault": "over-admission", "extra": 10**30}, "1..10000"),
        ("inject", {"fault": "unaligned-host-alloc", "need_size": 10**30 + 1}, "up to 1000000000"),
        ("inject", {"fault": "silent-consumer", "seconds": 10**400}, "silent-consumer"),
        ("inject", {"fault": "silent-consumer", "seconds": [1]}, "silent-consumer"),
        ("step", [1], "args must be an object"),
        ("pause", "now", "args must be an object"),
    ],
)
def test_bad_command_changes_nothing(loop: HostLoop, name: str, args: Any, named: str) -> None:
    run(loop, "step", {"steps": 3})
    before = loop.driver.stats()
    with pytest.raises(CommandError, match=named):
        run(loop, name, args)
    assert loop.driver.stats() == before


def test_trace_that_is_no_trace_leaves_the_run_as_it_was(loop: HostLoop, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("not a trace\n")
    before = loop.driver
    with pytest.raises(CommandError, match=r"bad\.jsonl"):
        run(loop, "load", {"trace": "bad.jsonl"})
    assert loop.driver is before


def test_trace_path_stays_inside_its_folder(tmp_path: Path) -> None:
    outside = tmp_path / "secret.jsonl"
    outside.write_text("{}")
    folder = tmp_path / "traces"
    folder.mkdir()
    (folder / "link.jsonl").symlink_to(outside)
    with pytest.raises(CommandError):
        trace_path(folder, "link.jsonl")
    with pytest.raises(CommandError, match="trace-dir"):
        trace_path(None, "x")


@pytest.mark.parametrize(("asked", "set_to"), [(4, 4.0), ("0.5", 0.5), ("max", float("inf"))])
def test_speed_is_a_number_or_max(loop: HostLoop, asked: object, set_to: float) -> None:
    assert run(loop, "speed", {"x": asked})["speed"] == ("max" if asked == "max" else set_to)
    assert loop.speed == set_to


def test_restart_begins_anew_at_the_same_workload(loop: HostLoop) -> None:
    run(loop, "scenario", {"scenario": "row-bound"})
    run(loop, "step", {"steps": 60})
    run(loop, "pause", {})
    seq = loop.probe.seq
    result = run(loop, "restart", {})
    assert (result["sim_t"], result["paused"]) == (0.0, False)
    assert loop.driver.workload.name == "row-bound"
    assert loop.probe.seq == seq, "samples are counted on"


def test_load_reads_a_trace_of_the_folder(loop: HostLoop, tmp_path: Path) -> None:
    rows = [
        {"timestamp": 5 * at, "input_length": 40, "output_length": 9, "hash_ids": [at]}
        for at in range(3)
    ]
    (tmp_path / "three.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run(loop, "load", {"trace": "three.jsonl"})
    assert loop.driver.workload.source == "replay"
    run(loop, "step", {"steps": 3})
    items = run(loop, "requests", {"limit": 2})["items"]
    assert len(items) == 2
    assert items == loop.driver.requests(2)
    run(loop, "step", {"steps": 1000})
    assert loop.driver.stats()["finished_total"] == 3
    assert run(loop, "requests", {})["items"] == []


def test_fault_says_what_it_raised(loop: HostLoop) -> None:
    result = run(loop, "inject", {"fault": "over-admission", "extra": 2})
    assert (result["fault"], result["raised"]) == ("over-admission", "alloc-req-slots-exhausted")
    free = result["available_size"]
    assert result["num_reqs"] == free + 2


def test_answer_of_a_refused_command_is_a_problem(loop: HostLoop) -> None:
    loop._answer({"kind": "command", "id": 4, "name": "step", "args": ["x"]})
    (reply,) = (json.loads(text) for text in loop.link._lossless)
    assert (reply["id"], reply["ok"], reply["problem"]["title"]) == (4, False, "Bad arguments")
