"""Small trace files that tests write."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SAMPLES = Path(__file__).parents[1] / "data" / "traces"
AZURE_HEADER = "TIMESTAMP,ContextTokens,GeneratedTokens"


def mooncake_row(timestamp: Any = 0, tokens: Any = 700, **changes: Any) -> dict[str, Any]:
    """A row whose ids fit blocks of 512, unless a change says otherwise."""
    blocks = -(-tokens // 512) if isinstance(tokens, int) and tokens > 0 else 1
    row = {
        "timestamp": timestamp,
        "input_length": tokens,
        "output_length": 20,
        "hash_ids": list(range(blocks)),
    }
    return row | changes


def write_mooncake(path: Path, rows: Iterable[Any]) -> Path:
    """One line for each row: objects as JSON, text as it is."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def write_azure(path: Path, rows: Iterable[str]) -> Path:
    """Rows below the header, with CRLF and no line end after the last, as published."""
    path.write_bytes("\r\n".join((AZURE_HEADER, *rows)).encode())
    return path
