"""One number that a real server printed at its start, which ends all estimates."""

import re
from pathlib import Path

_TOKENS = re.compile(r"\bmax_total_num_tokens\s*[=:]\s*(\d{1,15})\b")
MAX_LOG_BYTES = 1 << 30


def tokens_in(text: str) -> int | None:
    """The token capacity of a start-up line, or a bare number; None when there is none."""
    if text.strip().isdigit() and len(text.strip()) <= 15:
        return int(text.strip())
    found = _TOKENS.search(text)
    return int(found[1]) if found else None


def measured_tokens(given: str) -> int:
    """Token capacity from a number, a line, or a file with a server's log.

    Raises:
        ValueError: there is none; the text says what to look for.
    """
    found = tokens_in(given)
    path = Path(given)
    if found is None and len(given) < 4096 and path.is_file():
        if path.stat().st_size > MAX_LOG_BYTES:
            raise ValueError(f"{path.name}: over {MAX_LOG_BYTES:,} bytes; cut its first lines out")
        with path.open(encoding="utf-8", errors="replace") as lines:
            found = next((t for t in map(_in_line, lines) if t is not None), None)
    if found is None or found < 1:
        raise ValueError(
            f"--from-log {given[:80]}: no max_total_num_tokens=N in it; give the number, the line, "
            "or the file that the server logged to at its start"
        )
    return found


def _in_line(line: str) -> int | None:
    found = _TOKENS.search(line)
    return int(found[1]) if found else None
