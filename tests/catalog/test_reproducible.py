"""What the program can raise or log is what the lab reproduces, code by code."""

import ast
from dataclasses import fields, replace
from pathlib import Path

import pytest

from app.catalog.catalog import CATALOG
from app.catalog.match import match
from app.catalog.proofs import all_causes
from app.engine.conditions import all_conditions
from app.sizing.plan import resolve
from app.sizing.server_args import FlagError, ServerArgs
from tests.catalog.test_catalog import error_classes

ROOT = Path(__file__).parents[2]
#: raised by pools and buffers that the engine does not host; tests/pools raises each
NOT_HOSTED = [vars(cls)["code"] for cls in error_classes() if cls.__module__ != "pools.errors"]
#: raised or logged, and not reproduced: why
NOT_REPRODUCED: dict[str, str] = {
    code: "the engine hosts no such pool; tests/pools shows it"
    for code in NOT_HOSTED
    if code not in all_causes()
}
#: flags that sizing refuses or warns about, one for each text that it has
FLAGS = (
    {"memory_budget_bytes": 1},
    {"max_running_requests": 2_000, "max_total_tokens": 2_048},
    {"context_length": 1 << 21},
    {"mm_recycle_interval_s": 0.0},
    {"mm_feature_cache_mb": 1, "mm_consumers": 100},
    {"page_size": 1 << 21},
    {"chunked_prefill_size": 100},
    {"max_total_tokens": 4},
    {"hicache_ratio": 1e-9},
)


def emitted_by(folder: str) -> set[str]:
    """Codes that stand as `code="…"` in a call, and those of the catalog that stand as a word."""
    nodes = [
        node
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    ]
    named = {
        node.value.value
        for node in nodes
        if isinstance(node, ast.keyword) and node.arg == "code"
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }
    words = {node.value for node in nodes if isinstance(node, ast.Constant)}
    return named | (words & set(CATALOG.by_code))


def said_by_sizing() -> set[str]:
    """Codes whose messages sizing prints, found as a log reader finds them."""
    said: set[str] = set()
    for flags in FLAGS:
        try:
            texts: tuple[str, ...] = resolve(replace(ServerArgs(), **flags)).warnings
        except FlagError as error:
            texts = (str(error),)
        said |= {found.entry.code for text in texts for found in match(text)}
    return said


def test_reproducible_entries_are_what_pools_engine_and_sizing_raise_or_log() -> None:
    raised = {cls.code for cls in error_classes()}
    raised |= emitted_by("app/engine") | emitted_by("pools") | said_by_sizing()
    assert raised <= set(CATALOG.by_code), "every code has an entry"
    assert set(all_causes()) == raised - set(NOT_REPRODUCED)
    assert set(NOT_REPRODUCED) <= raised - set(all_causes())


def test_every_flag_that_a_try_turns_is_one_of_the_server() -> None:
    known = {one.name for one in fields(ServerArgs)}
    assert all(set(flags) <= known for flags in FLAGS)


@pytest.mark.parametrize("name", all_conditions())
def test_every_condition_is_used_by_a_cause_and_says_what_it_is(name: str) -> None:
    assert all_conditions()[name].text.endswith(".")
    used = {
        condition
        for causes in all_causes().values()
        for cause in causes
        for condition, _ in getattr(cause.case, "conditions", ())
    }
    assert name in used


def test_an_unproved_remedy_of_a_reproducible_error_says_why() -> None:
    for code in all_causes():
        for remedy in CATALOG.by_code[code].remedies:
            if remedy.status == "unproved":
                assert remedy.reason, (code, remedy.text)
