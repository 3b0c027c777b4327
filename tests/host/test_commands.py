"""Commands to a host: a bad argument is refused with what is accepted, and changes nothing."""

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
        ("requests", {"limit": 0}, "1..1000"),
    ],
)
def test_bad_command_changes_nothing(
    loop: HostLoop, name: str, args: dict[str, Any], named: str
) -> None:
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
