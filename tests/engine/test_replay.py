"""Replay of traces: all accounted for, twice the same, on real files when they are at hand."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from app.engine.replay import replay
from app.sizing.server_args import ServerArgs

MOONCAKE = "traces/mooncake/conversation_rows_00001-03995.jsonl"
AZURE = "traces/azure2023/AzureLLMInferenceTrace_conv_rows_00001-10000.csv"
KEYS = {
    "requests", "pools", "invariants", "errors", "sim_seconds", "wall_seconds", "result_hash",
    "trace",
}  # fmt: skip


def sample(folder: Path, shared: Path | None, real: str) -> Path:
    """The real file, or a small one in its format, written here."""
    if shared is not None:
        return shared / real
    if real.endswith(".jsonl"):
        path = folder / "sample.jsonl"
        rows = [
            {"timestamp": 700 * i, "input_length": 900 + 37 * i, "output_length": 5 + i % 40,
             "hash_ids": [0, *range(10 * i + 1, 10 * i + -(-(900 + 37 * i) // 512))]}
            for i in range(60)
        ]  # fmt: skip
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path
    path = folder / "sample.csv"
    rows_text = [f"2023-11-16 18:15:{i:02d}.1234560,{300 + 11 * i},{3 + i}" for i in range(50)]
    path.write_bytes("\r\n".join(["TIMESTAMP,ContextTokens,GeneratedTokens", *rows_text]).encode())
    return path


@pytest.mark.parametrize("real", [MOONCAKE, AZURE])
def test_replay_accounts_for_everything_and_is_repeatable(
    tmp_path: Path, shared_data: Path | None, real: str
) -> None:
    path = sample(tmp_path, shared_data, real)
    first, second = (replay(path, ServerArgs(), limit=300) for _ in range(2))
    assert set(first) >= KEYS
    requests = first["requests"]
    ended = requests["finished"] + requests["rejected"] + requests["aborted"]
    assert ended == requests["total"] > 0
    assert first["invariants"]["violations"] == 0
    assert first["invariants"]["checked"] > 1_000
    assert all(pool["leaked"] == 0 for pool in first["pools"].values())
    assert first["result_hash"] == second["result_hash"]
    trace = first["trace"]
    assert trace["rows"] >= requests["total"]


def test_replay_of_a_trace_without_prefixes_claims_no_hits(
    tmp_path: Path, shared_data: Path | None
) -> None:
    result = replay(sample(tmp_path, shared_data, AZURE), ServerArgs(), limit=50)
    assert result["tokens"]["prefix_hits"] is None
    assert result["trace"]["block_size"] is None


def test_replay_command_prints_json_and_ends_with_zero(
    tmp_path: Path, shared_data: Path | None
) -> None:
    path = sample(tmp_path, shared_data, MOONCAKE)
    command = [sys.executable, "-m", "app.cli", "replay", str(path), "--limit", "40", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["requests"]["total"] == 40


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (["missing.jsonl"], 3, "missing.jsonl"),
        (["TRACE", "--page-size", "0"], 2, "--page-size"),
        (["TRACE", "--page-size", "4194304"], 2, "--page-size"),
        (["TRACE", "--max-runing-requests", "4"], 2, "--max-running-requests"),
        (["TRACE", "--limit", "0"], 2, "--limit"),
        (["GARBAGE"], 3, "garbage.bin"),
    ],
)
def test_replay_command_refuses_bad_input_by_name(
    tmp_path: Path, arguments: list[str], code: int, named: str
) -> None:
    garbage = tmp_path / "garbage.bin"
    garbage.write_bytes(bytes(range(256)) * 8)
    names = {"TRACE": str(sample(tmp_path, None, MOONCAKE)), "GARBAGE": str(garbage)}
    command = [sys.executable, "-m", "app.cli", "replay", *(names.get(a, a) for a in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    assert named in done.stderr
    assert "Traceback" not in done.stderr
