"""`poolscope size`: for a reader, for a script, and refused."""

import json
import subprocess
import sys

import pytest

from app.cli import main
from tests.contract.tree import ROOT

ASKED = ["size", "--model", "llama-3.1-8b", "--gpu-gib", "80", "--tp", "1"]


def test_the_table_shows_rules_bounds_and_that_it_is_a_band(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(ASKED) == 0
    shown = capsys.readouterr().out
    lines = {line.split("  ")[0].strip(): line for line in shown.splitlines()}
    assert "131,072" in lines["bytes of a token"]
    assert " – " in lines["--max-total-tokens"]
    assert "<- binds" in lines["KV at 4,096 tokens each"]
    assert "A band: " in shown


def test_a_line_of_a_log_pins_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ASKED, "--json", "--from-log", "max_total_num_tokens=400000, x"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["pinned"] is True
    assert told["max_total_num_tokens"] == {"low": 400_000, "high": 400_000}
    assert told["max_running_requests"] == {"low": 2048, "high": 2048}
    assert not any(note.startswith("A band") for note in told["notes"])


@pytest.mark.parametrize(
    ("changed", "code", "said"),
    [
        (["--model", "llama-9"], 3, "known are"),
        (["--from-log", "nothing"], 3, "max_total_num_tokens=N"),
        (["--tp", "0"], 2, "--tp-size 0"),
        (["--mem-fraction-static", "0.1"], 2, "leave no GPU memory"),
    ],
)
def test_what_cannot_be_sized_is_named(
    changed: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*ASKED, *changed]) == code
    assert said in capsys.readouterr().err


def test_every_flag_reaches_the_size(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["--enable-hierarchical-cache", "--hicache-size", "30", "--kv-cache-dtype", "fp8_e4m3"]
    assert main([*ASKED, *flags, "--max-running-requests", "64", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["bytes of a token"]["low"] == 65_536
    assert rows["host pool"]["low"] == int(30e9 // 65_536) + 1
    assert rows["--max-running-requests"]["high"] == 64


def test_sizing_needs_neither_torch_nor_numpy() -> None:
    code = (
        "import sys; from app.cli import main;"
        f"assert main({ASKED!r}) == 0; sys.exit(bool({{'torch', 'numpy'}} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
