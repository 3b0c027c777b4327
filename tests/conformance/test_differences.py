"""Deliberate differences on our side, and the page that lists them. SGLang's side: run.py."""

import re

import pytest

from pools.errors import PoolError
from tests.conformance.both_sides import our_problem
from tests.conformance.differences import BOTH, STRICT, Deliberate
from tests.contract.tree import ROOT

PAGE = ROOT / "docs" / "differences.md"


@pytest.mark.parametrize("row", [*STRICT, *BOTH], ids=lambda row: row.row)
def test_difference_is_there_and_refuses_without_a_change(row: Deliberate) -> None:
    assert our_problem(row) is None


def test_page_has_a_row_for_every_difference_and_no_other() -> None:
    strict, both = rows_of("Under strict checks alone"), rows_of("Under both modes of checks")
    assert list(strict) == [row.row for row in STRICT]
    assert list(both) == [row.row for row in BOTH]


@pytest.mark.parametrize("row", [*STRICT, *BOTH], ids=lambda row: row.row)
def test_page_names_the_error_that_is_raised(row: Deliberate) -> None:
    ours = (rows_of("Under strict") | rows_of("Under both"))[row.row]
    if row.refused is None or "same error" in ours:
        assert not any(f"`{name}`" in ours for name in error_names())
    else:
        assert f"`{row.refused.__name__}`" in ours


def rows_of(heading: str) -> dict[str, str]:
    """First and last column of the table under a heading."""
    text = PAGE.read_text(encoding="utf-8")
    section = text[text.index(f"## {heading}") :].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    cells = [re.split(r" \| ", line.strip("| ")) for line in lines]
    return {row[0]: row[-1] for row in cells}


def error_names() -> list[str]:
    return [cls.__name__ for cls in PoolError.__subclasses__()]
