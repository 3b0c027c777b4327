"""What a wrong command line says, and its exit code: 2 usage, 3 bad input."""

from pathlib import Path

import pytest

from app.cli import main


def ended(arguments: list[str]) -> int:
    try:
        return main(arguments)
    except SystemExit as end:
        return int(end.code or 0)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["srve"], 2, "did you mean 'serve'?"),
        (["serve", "--pot", "3"], 2, "did you mean '--port'?"),
        (["replay", "x", "--pagesize", "16"], 2, "did you mean '--page-size'?"),
        (["host"], 2, "the following arguments are required: --connect\n"),
        (["serve", "--scenario", "stedy"], 2, "did you mean 'steady'?"),
        (["serve", "--speed", "-1"], 2, "above 0"),
        (["serve", "--port", "99999"], 2, "1..65535"),
        (["serve", "--host", "0.0.0.0"], 2, "--token"),
        (
            ["serve", "--page-size", "4096", "--max-total-tokens", "1024"],
            2,
            "larger than the whole",
        ),
        (["serve", "--trace", "missing.jsonl"], 2, "no such file"),
        (["replay", "missing.jsonl"], 3, "No such file"),
        (["replay", "missing.jsonl", "--limit", "0"], 2, "at least 1"),
        (["replay", "missing.jsonl", "--max-running-requests", "0"], 2, "give 1 or more"),
    ],
)
def test_wrong_command_line_says_what_to_do(
    arguments: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(arguments) == code
    assert said in capsys.readouterr().err


def test_serve_refuses_what_is_no_trace_before_it_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "no.txt"
    trace.write_text("hello\n")
    assert ended(["serve", "--trace", str(trace)]) == 3
    assert "unknown format" in capsys.readouterr().err


def test_replay_names_the_rows_that_it_dropped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = '{"timestamp": %s, "input_length": 10, "output_length": 5, "hash_ids": [1]}\n'
    trace = tmp_path / "t.jsonl"
    trace.write_text("".join(row % t for t in ("0", '"x"', "1000", "2000")))
    assert ended(["replay", str(trace), "--max-total-tokens", "4096"]) == 0
    assert "t.jsonl:2: timestamp: 'x' is not a number" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["serve", "--scenario", "steady", "--trace", "{trace}"], "give one of them"),
        (["serve", "--no-pool-host", "--trace", "{trace}"], "there is no host"),
        (["serve", "--token", "abcdefgh", "--generate-token"], "give one of them"),
        (["serve", "--token", " "], "characters or more"),
        (["replay", "{trace}", "--json", "/nonexistent/result.json"], "cannot be written"),
    ],
)
def test_contradictions_are_refused_before_anything_runs(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "t.jsonl"
    trace.write_text('{"timestamp": 0, "input_length": 9, "output_length": 5, "hash_ids": [1]}\n')
    assert ended([word.format(trace=trace) for word in arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_part_of_a_message_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(["explain", "alloc_req_slots runs out of memory"]) == 0
    assert "alloc-req-slots-exhausted" in capsys.readouterr().out
