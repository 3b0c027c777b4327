"""`poolscope prove`: a table, a last line, JSON, and exit codes."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from app.catalog.catalog import CATALOG
from app.cli import main

CODE = "alloc-req-slots-exhausted"
LAST = re.compile(
    r"\d+ causes reproduced, \d+ proved, \d+ avoids, \d+ refuted, \d+ unproved, \d+ failures"
)


def test_the_last_line_counts_and_the_table_says_each_outcome(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["prove", CODE]) == 0
    out = capsys.readouterr().out.splitlines()
    assert LAST.fullmatch(out[-1])
    assert out[-1].startswith("4 causes reproduced, 3 proved, 1 avoids, 4 refuted")
    assert out[-1].endswith(", 0 failures")
    assert any("x refuted   lower-max-running-requests (4 values)" in line for line in out)
    assert any("? unproved" in line and "no PD transfer" in line for line in out)


def test_json_has_before_and_after(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", "queue-full", "--json", str(tmp_path / "proved.json")]) == 0
    found = json.loads((tmp_path / "proved.json").read_text())
    (error,) = found["errors"]
    (cause,) = error["causes"]
    tries = {one["remedy"]: one for one in cause["tries"]}
    assert (cause["name"], cause["reproduced"]) == ("burst", True)
    assert cause["before"]["rejected"] == 24
    assert tries["raise-max-queued"]["after"]["finished"] == 40
    assert found["summary"]["failures"] == 0
    capsys.readouterr()
    assert main(["prove", "5005b2b87598a62d", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["errors"][0]["code"] == CODE
    assert LAST.fullmatch(captured.err.splitlines()[-1])


def test_an_entry_that_claims_too_much_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = CATALOG.by_code["queue-full"]
    first, *rest = entry.remedies
    claimed = replace(entry, remedies=(replace(first, status="proved"), *rest))
    monkeypatch.setitem(CATALOG.by_code, "queue-full", claimed)
    assert main(["prove", "queue-full"]) == 1
    out = capsys.readouterr().out
    assert "FAILURE remedy 'back-off' says proved, the run says avoids" in out
    assert out.rstrip().endswith("1 failures")


@pytest.mark.parametrize(
    ("code", "words"),
    [("vmm-needs-mm-processor", "no cause"), ("queue-ful", "did you mean 'queue-full'?")],
)
def test_what_cannot_be_proven_is_usage(
    code: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["prove", code]) == 2
    assert words in capsys.readouterr().err
