"""Logs as files: compressed, in other encodings, without line breaks, damaged, hostile, huge."""

import gzip
import io
import json
import time

import pytest

from app.diagnose.diagnose import diagnose, diagnose_text
from app.diagnose.judge import Diagnosis
from app.diagnose.source import AHEAD, BEHIND, LogError, LogSource, LogTooLargeError
from tests.diagnose.logs import CHILD_DIED, at, batch, crash, explained, kv_oom

OOM = crash(9, kv_oom("Decode", 90, 3, 4))


def read(body: bytes) -> Diagnosis:
    return diagnose(io.BytesIO(body))


def code_of(found: Diagnosis) -> str | None:
    return found.event.code if found.event else None


@pytest.mark.parametrize(
    "body",
    [
        OOM.encode(),
        gzip.compress(OOM.encode()),
        gzip.compress(batch(1).encode() + b"\n") + gzip.compress(OOM.encode()),
        OOM.encode("utf-16"),
        OOM.encode("utf-16-le"),
        OOM.encode("utf-16-be"),
        OOM.encode("utf-8-sig"),
        OOM.encode("utf-32"),
        "Déjà vu \u2028 \udcff\n".encode("utf-8", "surrogateescape") + OOM.encode(),
        OOM.replace("\n", "\r\n").encode(),
        b"\r10%|#\r20%|##\r" + OOM.encode(),
        b"\x1b[31m" + OOM.replace("Decode", "\x1b[1mDecode").encode() + b"\x1b[0m",
        OOM.encode() + b"\x00" * 400,
    ],
    ids=[
        *("plain", "gzip", "gzip of two members", "utf-16", "utf-16 le", "utf-16 be", "bom"),
        *("utf-32", "bytes that are no utf-8", "crlf", "carriage returns", "colours", "nul tail"),
    ],
)
def test_encodings_and_wrappings_do_not_matter(body: bytes) -> None:
    found = read(body)
    assert code_of(found) == "kv-decode-oom"
    assert found.event is not None
    assert found.event.numbers["need_tokens"] == 90
    assert found.event.ranks == ["TP0"]


def test_json_lines_of_a_collector() -> None:
    lines = [
        json.dumps({"log": line + "\n", "stream": "stderr", "time": "2026-03-02T08:00:09.1Z"})
        for line in OOM.split("\n")
    ]
    one_field = json.dumps({"message": OOM, "level": "error"})
    for text in ("\n".join(lines), one_field):
        found = diagnose_text(text)
        assert code_of(found) == "kv-decode-oom"
        assert found.event is not None
        assert found.event.numbers["available_tokens"] == 3
        assert found.event.first.stamp.rank == "TP0"


def test_lines_are_counted_from_one_across_blocks() -> None:
    filler = [f"{at(1, '')}INFO request {number}" for number in range(30_000)]
    found = explained(*filler, batch(8), crash(9, kv_oom("Prefill", 9, 1)))
    assert found.event is not None
    assert found.event.lines == [30_005]
    assert found.log.lines == 30_008
    assert found.log.usage.count == 1


@pytest.mark.parametrize("shift", range(0, AHEAD + BEHIND, 997))
def test_a_message_across_the_border_of_two_blocks_is_read_once(shift: int) -> None:
    before = "x" * 99 + "\n"
    text = before * 2_600 + "y" * shift + "\n" + OOM + before * 3_000
    found = diagnose_text(text)
    assert found.event is not None
    assert found.event.times == 1
    assert found.event.numbers["available_tokens"] == 3


def test_a_line_without_end_is_read_in_pieces() -> None:
    found = diagnose_text("z" * 3_000_000 + " " + OOM.replace("\n", " ") + "z" * 3_000_000)
    assert code_of(found) == "kv-decode-oom"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "empty"),
        (gzip.compress(b""), "empty"),
        (bytes(range(256)) * 2_000, "no text"),
        (b"\x1f\x8b\x08" + b"\x00" * 40, "empty"),
    ],
    ids=["empty", "gzip of nothing", "binary", "damaged gzip"],
)
def test_what_is_no_log_is_refused_with_words(body: bytes, words: str) -> None:
    with pytest.raises(LogError, match=words):
        read(body)


def test_a_truncated_gzip_is_read_as_far_as_it_goes() -> None:
    body = gzip.compress((OOM + "".join(f"{at(9)}x{n * n}\n" for n in range(60_000))).encode())
    found = read(body[: len(body) // 2])
    assert code_of(found) == "kv-decode-oom"
    assert "ends early" in found.log.notes[0]


def test_too_much_text_is_refused_even_when_it_came_compressed() -> None:
    source = LogSource(io.BytesIO(gzip.compress(b"a" * 2_000_000)), max_chars=1_000_000)
    with pytest.raises(LogTooLargeError, match="1,000,000 characters"):
        list(source.blocks())


@pytest.mark.parametrize(
    "text",
    [
        "Decode out of memory. Try to lower your batch size.\n" * 60_000,
        "[full] total=1, " * 150_000,
        "Decode batch, #running-req: " * 100_000,
        "server_args=ServerArgs(" + "a='" * 800_000,
        "Error: " * 400_000,
        "[" + "2026-03-02 08:00:09 TP0 " * 100_000 + "] " + CHILD_DIED,
        "\x1b[" * 1_000_000,
        "Load weight end. " + "avail mem=" * 250_000,
        "--api-key " * 250_000 + "sglang serve " * 20,
        "a." * 1_000_000 + "com",
        "0:" * 1_000_000,
    ],
    ids=[
        *("one message", "parts", "batch marks", "arguments", "exceptions", "prefixes", "escapes"),
        *("figures", "secrets", "names", "colons"),
    ],
)
def test_hostile_text_takes_no_longer_than_a_log(text: str) -> None:
    began = time.perf_counter()
    diagnose_text(text + "\n" + batch(1))
    assert time.perf_counter() - began < 8.0, "2.5 MB of a plain log take a tenth of a second"


def test_nothing_that_acts_on_a_terminal_is_shown() -> None:
    found = explained("\x1b]0;owned\x07\x1b[2J" + crash(9, kv_oom("Decode", 9, 1)).rstrip())
    shown = [found.text, *(event.first.text for event in found.log.events.items)]
    assert not any(ord(char) < 32 for text in shown for char in text)
