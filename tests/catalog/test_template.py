"""The template language: what goes in comes out, and no pattern can be made slow."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.catalog.catalog import CATALOG
from app.catalog.template import HOLE, KINDS, compile_template, fill, head_of

VALUES = {
    "int": st.integers(-(10**18), 10**18),
    "float": st.decimals(-(10**6), 10**6, allow_nan=False, places=4),
    "word": st.from_regex(r"[a-zA-Z0-9_./-]{1,30}", fullmatch=True),
    "label": st.sampled_from(["CUDA IPC", "VMM", "nccl"]),
    "phrase": st.from_regex(r"[A-Za-z][a-z_]{0,9}( [a-z_]{1,9}){0,3}", fullmatch=True),
    "size": st.sampled_from(["2GiB", "1.5 MiB", "1,024 B"]),
    "triple": st.tuples(*[st.integers(-(10**9), 10**9)] * 3),
    "shape": st.lists(st.integers(0, 10**9), max_size=4).map(tuple),
    "text": st.from_regex(r"[a-z ]{1,60}x", fullmatch=True),
}
TEMPLATES = [head_of(line) for entry in CATALOG.entries for line in (entry.printed, *entry.also)]


@pytest.mark.parametrize("template", TEMPLATES)
@given(data=st.data())
def test_template_reads_back_what_it_prints(template: str, data: st.DataObject) -> None:
    holes = {hole[1]: hole[2] or "int" for hole in HOLE.finditer(template)}
    values = {name: data.draw(VALUES[kind]) for name, kind in holes.items()}
    found = compile_template(template).regex.search(f"prefix] {fill(template, values)}\nnext")
    assert found is not None
    assert {name: found[name].strip() for name in holes} == {
        name: str(value).strip() for name, value in values.items()
    }


@pytest.mark.parametrize("template", TEMPLATES)
def test_template_has_no_unbounded_repetition(template: str) -> None:
    pattern = compile_template(template).regex.pattern
    literal_free = re.sub(r"\\.", "", pattern)
    assert not re.search(r"[*+](?!\?*\})", re.sub(r"\[[^\]]*\]", "", literal_free))
    assert all(KINDS[kind][1] <= 200 for kind in KINDS)


@pytest.mark.parametrize("template", TEMPLATES)
def test_template_costs_little_on_text_made_against_it(template: str) -> None:
    """Everything it looks for, over and over, but never whole."""
    pattern = compile_template(template)
    pieces = HOLE.split(template)[::3]
    hostile = "".join(f"{piece}7 " for piece in pieces for _ in range(3)) * 20
    started = time.perf_counter()
    for at in range(0, 1_000, 10):
        pattern.regex.search(hostile, at, at + 2 * pattern.reach)
    assert time.perf_counter() - started < 1.0


@pytest.mark.parametrize(
    ("template", "problem"),
    [
        ("{a}: {b}", "literal characters"),
        ("a size of {a:number} bytes", "unknown kind 'number'"),
        ("from {a} up to {a} bytes", "used twice"),
        ("from {a:text} up to {b:text}", "multiply"),
    ],
)
def test_template_names_what_is_wrong(template: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        compile_template(template)
