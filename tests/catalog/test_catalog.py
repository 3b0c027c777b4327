"""Rules that every entry keeps, and search."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest

import pools.buffer_errors
import pools.errors as coded
import pools.side_errors
from app.catalog.catalog import CATALOG, Catalog, CatalogError
from app.catalog.entry import STATUSES, ErrorEntry

SEEDS = {
    "alloc-req-slots-exhausted": "5005b2b87598a62d",
    "mm-slot-generation-exhausted": "d317b25cfb0662df",
    "logical-host-alloc-unaligned": "ba4db60e324417e3",
}
PLACEHOLDER = re.compile(r"\{[^{}]*\}|%d|%s|%\.2f")
ENTRIES = pytest.mark.parametrize("entry", CATALOG.entries, ids=lambda entry: entry.code)


#: where coded errors are defined; importing them is what makes them known
ERROR_MODULES = (coded, pools.buffer_errors, pools.side_errors)


def error_classes() -> list[type[coded.PoolError]]:
    found, todo = [], [coded.PoolError]
    while todo:
        cls = todo.pop()
        todo += cls.__subclasses__()
        if "code" in vars(cls) and cls is not coded.PoolError:
            found.append(cls)
    return found


def test_ids_never_change() -> None:
    """Written down once; a page, a runbook or a bookmark may hold any of them."""
    assert {code: CATALOG.by_code[code].id for code in SEEDS} == SEEDS
    assert len({entry.id for entry in CATALOG.entries}) == len(CATALOG.entries)


@pytest.mark.parametrize("cls", error_classes(), ids=lambda cls: cls.__name__)
def test_every_coded_pool_error_has_an_entry(cls: type[coded.PoolError]) -> None:
    entry = CATALOG.by_code[cls.code]
    bases = {base.__name__ for base in cls.__mro__}
    if entry.code != "pool-memory-budget-exceeded":
        assert entry.exception in bases


def test_every_code_that_the_program_emits_has_an_entry() -> None:
    """`code="…"` anywhere outside the catalog: events, alarms and verdicts link to its page."""
    root = Path(__file__).parents[2]
    used: dict[str, str] = {}
    for path in (*root.glob("app/**/*.py"), *root.glob("pools/**/*.py")):
        if "catalog" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "code":
                value = node.value
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    used[value.value] = f"{path.relative_to(root)}:{value.lineno}"
    assert used
    assert {code: where for code, where in used.items() if code not in CATALOG.by_code} == {}


@ENTRIES
def test_entry_says_what_it_must(entry: ErrorEntry) -> None:
    assert entry.verdict.endswith(".")
    assert entry.meaning
    assert entry.trigger
    assert entry.remedies
    assert all(source.function and source.description for source in entry.source)
    assert entry.source
    for remedy in entry.remedies:
        assert remedy.status in STATUSES
        assert remedy.text.endswith(".")
    for text in (entry.verdict, entry.meaning, entry.trigger, entry.here):
        assert text.count("`") % 2 == 0, text


@ENTRIES
def test_line_prints_the_message_and_explains_its_holes(entry: ErrorEntry) -> None:
    message = re.sub(r"\{([^{}=]*)=\}", r"\1={x}", entry.message)
    if entry.printed.endswith("{tail:text}"):
        assert "{available_and_evictable_str(tree_cache)}" in message
    assert PLACEHOLDER.split(entry.printed) == PLACEHOLDER.split(message)
    holes = set(re.findall(r"\{([a-z_]+)", entry.printed)) - {"tail"}
    assert holes <= {figure.name for figure in entry.figures}


@ENTRIES
def test_flags_in_remedies_are_explained(entry: ErrorEntry) -> None:
    explained = {flag.name for flag in entry.flags}
    for remedy in entry.remedies:
        if remedy.flag and remedy.status != "refuted":
            assert remedy.flag in explained | {"--max-queued-requests", "--kv-cache-dtype"}


def test_upstream_sources_have_a_line_and_a_link() -> None:
    for entry in CATALOG.entries:
        for source in entry.source:
            if entry.origin == "sglang":
                assert source.url is not None
                assert source.url.endswith(f"{source.path}#L{source.line}")


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"id": "123"}, "16 hex"),
        ({"code": "Not_Kebab"}, "kebab-case"),
        ({"related": ("no-such-code",)}, "no-such-code"),
        ({"related": ("queue-full",)}, "entry of its own"),
    ],
)
def test_catalog_refuses_a_bad_entry_by_name(change: dict[str, object], problem: str) -> None:
    good = replace(CATALOG.by_code["queue-full"], related=())
    with pytest.raises(CatalogError, match=problem):
        Catalog([replace(good, **change)])


def test_catalog_refuses_two_entries_with_one_id() -> None:
    one = replace(CATALOG.by_code["queue-full"], related=())
    with pytest.raises(CatalogError, match="unique"):
        Catalog([one, replace(one, code="queue-full-too")])


def test_catalog_refuses_a_verdict_without_proof() -> None:
    entry = CATALOG.by_code["queue-full"]
    claimed = replace(entry.remedies[0], status="proved", key="")
    with pytest.raises(CatalogError, match="without proof"):
        Catalog([replace(entry, related=(), remedies=(claimed,))])


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("alloc-req-slot-exhausted", "alloc-req-slots-exhausted"),
        ("alloc_req_slots exhausted", "alloc-req-slots-exhausted"),
        ("5005b2b87598a62e", "alloc-req-slots-exhausted"),
        ("generation exhausted", "mm-slot-generation-exhausted"),
        ("lora rank", "lora-rank-incompatible"),
    ],
)
def test_nearest(typed: str, meant: str) -> None:
    assert CATALOG.nearest(typed)[0].code == meant


def test_nearest_has_nothing_to_say_about_noise() -> None:
    assert CATALOG.nearest("") == []
    assert CATALOG.nearest("zzzzzz qqqqqq") == []


def test_search_wants_every_word_and_every_filter() -> None:
    assert CATALOG.search("context-length rows", pool="request_slots")
    assert CATALOG.search("context-length no-such-word") == []
    assert CATALOG.search(severity="warning", origin="poolscope") == []
    assert CATALOG.search() == list(CATALOG.entries)
