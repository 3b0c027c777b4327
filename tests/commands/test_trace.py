"""`poolscope trace`: a trace described for a terminal and for a script, without torch."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from tests.contract.tree import ROOT
from tests.traces.files import SAMPLES

CONVERSATION = str(SAMPLES / "mooncake_small.jsonl")


def test_a_trace_is_described_for_a_reader(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", CONVERSATION]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert "format         mooncake" in shown
    assert "rate           4.41 req/s" in shown


def test_json_accounts_for_every_row(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", CONVERSATION, "--json", "--limit", "10"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["requests"] == 10
    assert told["rows"] == told["requests"] + sum(told["rows_dropped"].values())
    assert told["has_prefix_info"] is True


def test_what_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["trace", str(tmp_path / "none")]) == 3
    assert "cannot be read" in capsys.readouterr().err
    assert main(["trace", CONVERSATION, "--limit", "0"]) == 2
    assert "limit 0" in capsys.readouterr().err


def test_describing_needs_no_torch() -> None:
    code = (
        "import sys; from app.cli import main;"
        f"assert main(['trace', {CONVERSATION!r}]) == 0; sys.exit('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
