"""`explain`: what it prints and how it exits; it must start fast."""

import json
import subprocess
import sys

import pytest

from app.catalog.catalog import CATALOG
from app.catalog.document import document
from app.catalog.explain import explain
from app.catalog.render_text import WIDTH, render
from pools.errors import KvDecodeOutOfMemory, ReqSlotsExhausted


@pytest.mark.parametrize("key", ["alloc-req-slots-exhausted", "5005b2b87598a62d", " Queue-Full "])
def test_explains_a_code_or_an_id(key: str) -> None:
    text, code = explain(key)
    assert code == 0
    entry = CATALOG.get(key)
    assert entry is not None
    assert text.startswith(f"{entry.code}: {entry.title}")


def test_explains_a_line_with_its_numbers() -> None:
    text, code = explain(f"[TP0] RuntimeError: {ReqSlotsExhausted(1, 2)}")
    assert code == 0
    assert "available_size = 1 rows" in text
    assert text.index("What to do") < text.index("Does not help") < text.index("Message")
    assert "[refuted, raise] Increase --context-length" in text


def test_explains_each_error_of_a_log_once() -> None:
    log = "\n".join(
        str(error)
        for error in (
            ReqSlotsExhausted(1, 2),
            KvDecodeOutOfMemory(9, 1, 0),
            ReqSlotsExhausted(0, 5),
        )
    )
    text, code = explain(log)
    assert code == 0
    assert text.count("alloc-req-slots-exhausted: Request slots ran out") == 1
    assert "line 6: available_size = 0, num_reqs = 5" in text
    assert "kv-decode-oom: KV pages ran out" in text


def test_says_when_nothing_matches_and_what_is_near() -> None:
    text, code = explain("alloc-req-slot")
    assert code == 1
    assert "alloc-req-slots-exhausted" in text


@pytest.mark.parametrize("empty", ["", "  \n"])
def test_usage(empty: str) -> None:
    assert explain(empty)[1] == 2


def test_json_is_what_rest_gives() -> None:
    text, code = explain(str(ReqSlotsExhausted(1, 2)), as_json=True)
    (item,) = json.loads(text)["items"]
    assert code == 0
    assert item.pop("match")["numbers"] == {"available_size": 1, "num_reqs": 2}
    assert item == document(CATALOG.by_code["alloc-req-slots-exhausted"])
    missed = json.loads(explain("alloc-req-slot", as_json=True)[0])
    assert missed["items"] == []
    assert missed["nearest"][0]["code"] == "alloc-req-slots-exhausted"


@pytest.mark.parametrize("entry", CATALOG.entries, ids=lambda entry: entry.code)
def test_every_entry_fits_a_terminal(entry: object) -> None:
    one = CATALOG.by_code[entry.code]  # type: ignore[attr-defined]
    text = render(one)
    verbatim = (one.message, one.example_before, one.example_after)
    for line in text.splitlines():
        quoted = any(line.strip() and line.strip() in part for part in verbatim)
        one_word = " " not in line.strip()
        assert quoted or one_word or len(line) <= WIDTH, line
    assert "`" not in text.replace(one.message.rstrip("\n"), "")


def test_starts_without_torch_and_web() -> None:
    script = (
        "import sys; from app.catalog.explain import explain; explain('queue-full');"
        "print(*sorted({'torch', 'fastapi', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
