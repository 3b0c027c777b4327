"""A log explained: which limit, why, which way to turn which flag, and what is not known."""

import io
from pathlib import Path
from typing import BinaryIO

from app.diagnose.judge import Diagnosis, judge
from app.diagnose.read import read_log
from app.diagnose.source import LogError, LogSource


def diagnose(stream: BinaryIO, *, max_chars: int | None = None) -> Diagnosis:
    """Read a log to its end and explain it.

    Args:
        stream: open for bytes, plain or gzip, in UTF-8 or UTF-16.
        max_chars: refuse more text than this.

    Raises:
        LogError: nothing in it, more than `max_chars`, or binary without a known line.
    """
    source = LogSource(stream, max_chars)
    log = read_log(source)
    if not log.chars:
        noted = f" ({log.notes[0]})" if log.notes else ""
        raise LogError(f"the log is empty{noted}; give the text of every rank up to its end")
    if source.is_binary and not log.events.items and not log.usage.count:
        raise LogError(
            "this is no text and holds no line that is known; give a log as text, or gzip of one"
        )
    return judge(log)


def diagnose_text(text: str) -> Diagnosis:
    """The same for a text at hand."""
    return diagnose(io.BytesIO(text.encode("utf-8", "replace")))


def diagnose_file(path: Path) -> Diagnosis:
    """The same for a file.

    Raises:
        LogError: also when the file cannot be opened.
    """
    try:
        with path.open("rb") as stream:
            return diagnose(stream)
    except OSError as error:
        raise LogError(f"{path}: {error.strerror or error}; name a file that can be read") from None
