"""`poolscope diagnose` as it is run: files, pipes, JSON, exit codes, and no torch."""

import gzip
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from app.cli import main
from tests.diagnose.logs import CHILD_DIED, at, batch, crash, kv_oom

OOM = batch(8, running=10, tokens=10_000, usage=1.0) + "\n" + crash(9, kv_oom("Prefill", 1_500, 0))
KEYS = {"verdict", "events", "version", "flags", "unknown"}
VERDICT = {"text", "code", "cause_class", "flag", "direction", "number", "confidence", "how"}


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["diagnose", *arguments])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "server.log"
    path.write_text(OOM)
    return path


def test_terminal_answers_in_the_order_of_need(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, str(log))
    assert (code, err) == (1, "")
    assert out.startswith("The KV pool was full: 1,500 tokens were asked for, 0 were free")
    order = [out.index(title) for title in ("\nEvidence", "\nWhat to do", "\nUnknown", "\nFound")]
    assert order == sorted(order)
    assert "line 2: [2026-03-02 08:00:09 TP0] Scheduler" not in out
    assert "line 5: RuntimeError: Prefill out of memory." in out
    assert re.search(r"1\. \[\w+, lower\] Lower --max-running-requests to about 8\.", out)
    assert all(len(line) <= 88 for line in out.splitlines() if " " in line.strip())


def test_json_has_the_agreed_shape(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, str(log), "--json")
    found = json.loads(out)
    assert code == 1
    assert set(found) >= KEYS
    assert set(found["verdict"]) >= VERDICT
    (event,) = found["events"]
    assert event["code"] == "kv-prefill-oom"
    assert event["numbers"]["need_tokens"] == 1_500
    assert event["lines"] == [5]
    assert event["ranks"] == ["TP0"]
    assert event["first_seen"] == "2026-03-02 08:00:09"


def test_json_to_a_file(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "answer.json"
    code, out, _ = run(capsys, str(log), "--json", str(target))
    assert (code, out) == (1, "")
    assert json.loads(target.read_text())["verdict"]["code"] == "kv-prefill-oom"
    code, _, err = run(capsys, str(log), "--json", str(tmp_path / "no" / "answer.json"))
    assert code == 3
    assert "No such file" in err


def test_a_pipe(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    body = io.TextIOWrapper(io.BytesIO(gzip.compress(OOM.encode())))
    monkeypatch.setattr("sys.stdin", body)
    code, out, _ = run(capsys, "-")
    assert code == 1
    assert "kv-prefill-oom" in out


def test_a_log_without_an_error_is_no_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "quiet.log"
    path.write_text("\n".join(batch(second) for second in range(20)))
    code, out, _ = run(capsys, str(path))
    assert code == 0
    assert out.startswith("No known error in 20 lines")


@pytest.mark.parametrize(
    ("name", "body", "words"),
    [
        ("empty.log", b"", "the log is empty"),
        ("picture.png", bytes(range(256)) * 500, "no text"),
        ("missing.log", None, "No such file"),
        ("folder", "folder", "Is a directory"),
    ],
)
def test_bad_input_ends_with_three(
    name: str,
    body: bytes | str | None,
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / name
    if isinstance(body, bytes):
        path.write_bytes(body)
    elif body == "folder":
        path.mkdir()
    code, out, err = run(capsys, str(path))
    assert (code, out) == (3, "")
    assert words in err


def test_a_terminal_gets_no_escapes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hostile.log"
    path.write_text(f"\x1b]0;x\x07{OOM}{at(9)}ValueError: \x1b[2J\x07 bad\n{at(9)}{CHILD_DIED}\n")
    _, out, _ = run(capsys, str(path))
    assert not any(ord(char) < 32 and char != "\n" for char in out)


def test_it_runs_without_torch(log: Path) -> None:
    program = (
        "import sys\nfrom app.cli import main\ncode = main(sys.argv[1:])\n"
        "sys.exit(90 if 'torch' in sys.modules else code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "diagnose", str(log)], capture_output=True, check=False
    )
    assert done.returncode == 1
