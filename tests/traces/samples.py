"""One small file of every format, written here in the shape that its authors describe."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.traces.files import AZURE_HEADER, mooncake_row

DATES = tuple(f"2031-05-04 10:00:{second:02}" for second in range(24))


def csv_of(header: str, rows: list[str], end: str = "\n") -> str:
    return end.join((header, *rows)) + end


def json_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def session(turns: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """A recorded agent session; turns are (t, in, out) with ids that count from 1."""
    head = {"id": "trace_x", "block_size": 64, "hash_id_scope": "local", "tool_tokens": 90}
    return {**head, "requests": turns, "totals": {}, **more}


def turn(t: float, tokens: int, out: int = 20, **more: Any) -> dict[str, Any]:
    ids = list(range(1, tokens // 64 + 1))
    return {"t": t, "type": "n", "in": tokens, "out": out, "hash_ids": ids, **more}


def subagent(t: float, turns: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "t": t,
        "type": "subagent",
        "duration_ms": 900,
        "status": "completed",
        "requests": turns,
    }


def metrics_row(
    received_s: float, prompt: Any = 70, answer: Any = 9, **more: Any
) -> dict[str, Any]:
    return {
        "request_parameters": json.dumps({"stream": False}),
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "cached_tokens": 0,
        "request_received_ts": received_s,
        "e2e_latency": 0.5,
        **more,
    }


def received(rid: Any, second: int) -> dict[str, Any]:
    return {
        "timestamp": f"2031-05-04T10:00:{second:02}.250000",
        "event": "request.received",
        "rid": rid,
        "obj": {"stream": True},
    }


def finished(rid: Any, second: int, **meta: Any) -> dict[str, Any]:
    numbers = {"id": rid, "prompt_tokens": 70, "completion_tokens": 9, "e2e_latency": 1.5, **meta}
    return {
        "timestamp": f"2031-05-04T10:00:{second:02}.750000",
        "event": "request.finished",
        "rid": rid,
        "obj": {},
        "out": {"meta_info": numbers},
    }


def log_received(rid: str, second: int, text: str = "hello") -> str:
    return (
        f"[2031-05-04 10:00:{second:02} TP0] Receive: obj=GenerateReqInput(rid={rid!r}, "
        f"text={text!r}, stream=False)"
    )


def log_finished(rid: str, second: int, prompt: int = 70, answer: int = 9) -> str:
    meta = {"id": rid, "prompt_tokens": prompt, "completion_tokens": answer, "e2e_latency": 1.5}
    return (
        f"[2031-05-04 10:00:{second:02} TP0] Finish: obj=GenerateReqInput(rid={rid!r}), "
        f"out={{'text': 'hi', 'meta_info': {meta!r}}}"
    )


def servegen_client(folder: Path, windows: list[str], lengths: dict[str, Any]) -> Path:
    """Both tables of a client; the path of the one with rates."""
    (folder / "chunk-7-dataset.json").write_text(json.dumps(lengths, indent=2))
    path = folder / "chunk-7-trace.csv"
    path.write_text("".join(f"{window}\n" for window in windows))
    return path


LENGTHS = {"0": {"input_tokens": "{100: 0.5, 200: 0.5}", "output_tokens": "{7: 1.0}"}}

#: format → content of a file that is of it and of no other
CONTENTS: dict[str, str] = {
    "agent-sessions": json.dumps(session([turn(0.0, 130), turn(8.0, 260)])),
    "azure2023": csv_of(AZURE_HEADER, [f"{date}.0000000,5,6" for date in DATES], "\r\n"),
    "azure2024": csv_of(AZURE_HEADER, [f"{date}+00:00,5,6" for date in DATES]),
    "azure-multimodal": csv_of(
        "TIMESTAMP,NumImages,ContextTokens,GeneratedTokens",
        [f"{date.replace(' ', 'T')}.269Z,{n % 3},5,6" for n, date in enumerate(DATES)],
    ),
    "bailian": json_lines(
        [
            mooncake_row(0.5 * n, 40, hash_ids=[0, 1, 2])
            | {"chat_id": n, "parent_chat_id": -1, "type": "text", "turn": 1}
            for n in range(30)
        ]
    ),
    "burstgpt": csv_of(
        "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type",
        [f"{5 + 9 * n},GPT-4,40,6,46,API log" for n in range(30)],
    ),
    "llmservingsim": json_lines(
        [
            {"request_id": f"r-{n}", "input_toks": 9, "output_toks": 8, "arrival_time": 1.9e9 + n}
            for n in range(5)
        ]
    ),
    "lmcache": json_lines(
        [
            {"timestamp": 19 * 10**14 + n, "input": "word " * 90, "output": "", "session_id": "s"}
            for n in range(5)
        ]
    ),
    "mooncake": json_lines([mooncake_row(300 * n) for n in range(30)]),
    "plain": csv_of("t,in,out,images", [f"{n},10,5,{n % 2}" for n in range(30)]),
    "servegen": "0,0.5,1.0,Gamma,1.1,1.8\n600,0,0,,0,0\n",
    "sglang-metrics": json_lines([metrics_row(1.9e9 + n) for n in range(5)]),
    "sglang-request-log": json_lines([received("a", 1), finished("a", 2)]),
    "sglang-server-log": f"server_args=...\n{log_received('a', 1)}\n{log_finished('a', 2)}\n",
    "vidur": csv_of("arrived_at,num_prefill_tokens,num_decode_tokens", ["0.0,5,6", "1.5,7,8"]),
    "vidur-lengths": csv_of(
        "num_prefill_tokens,num_decode_tokens,num_total_tokens,pd_ratio", ["60,6,66,10.0"] * 9
    ),
}


def write(folder: Path, name: str, pack: Callable[[bytes], bytes] = bytes) -> Path:
    """A file of a format, with what its reader needs beside it."""
    path = folder / f"{name}.trace"
    if name == "servegen":
        path = servegen_client(folder, [], LENGTHS)
    path.write_bytes(pack(CONTENTS[name].encode()))
    return path
