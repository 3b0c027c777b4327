"""States, owners and sums of a KV pool's units, and what they refuse."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pools.errors import DoubleFree, ForeignIndex, IntegrityError
from pools.snapshot import AVAILABLE, EVICTABLE, HELD, LEAKED, PROTECTED, RETIRED
from pools.structures.unit_book import NOBODY, UnitBook


def units(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def free(book: UnitBook) -> np.ndarray:
    return np.flatnonzero(book.state == AVAILABLE)


def lent() -> UnitBook:
    """8 pages: 1 and 2 are owner 7's, 3 is owner 9's, 4 is locked by the tree, 5 is not."""
    book = UnitBook(8, "page")
    book.give(units(1, 2, 4, 5), 7)
    book.give_each(units(3), units(9))
    book.adopt(units(4), PROTECTED)
    book.adopt(units(5), EVICTABLE)
    return book


def test_given_units_are_their_owners() -> None:
    book = lent()
    assert book.state.tolist() == [
        RETIRED, HELD, HELD, HELD, PROTECTED, EVICTABLE, AVAILABLE, AVAILABLE, AVAILABLE,
    ]  # fmt: skip
    assert book.owner.tolist() == [NOBODY, 7, 7, 9, NOBODY, NOBODY, NOBODY, NOBODY, NOBODY]
    assert (dict(book.held_by), book.held, book.bumps_total) == ({7: 2, 9: 1}, 3, 5)
    assert book.generation.tolist() == [0, 1, 1, 1, 1, 1, 0, 0, 0]
    book.audit(free(book), evictable=1, protected=1)


def test_units_given_back_by_several_owners_at_once() -> None:
    book = lent()
    given = units(3, 1, 5)
    book.take_back(given, book.check_free(given))
    assert (dict(book.held_by), book.held) == ({7: 1}, 1)
    assert book.owner[given].tolist() == [NOBODY] * 3
    book.audit(free(book), evictable=0, protected=1)


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ((0,), ForeignIndex, "page 0 is no unit of this pool"),
        ((1, 9), ForeignIndex, "page 9 is no unit of this pool; 1 of 2 given"),
        ((-1, 9), ForeignIndex, "page -1 is no unit of this pool; 2 of 2 given"),
        ((1, 8), DoubleFree, "page 8 is free already; 1 of 2"),
        ((4,), ForeignIndex, "page 4 is locked in the prefix tree"),
        ((2, 1, 2), DoubleFree, "page 2 is named twice in one free; 1 of 3 are"),
    ],
)
def test_what_cannot_be_freed_is_named(
    given: tuple[int, ...], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        lent().check_free(units(*given))


Call = Callable[[UnitBook], Any]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda book: book.adopt(units(1, 6), EVICTABLE), ForeignIndex, "page 6 is not held"),
        (lambda book: book.adopt(units(1, 4), EVICTABLE), ForeignIndex, "page 4 is not held"),
        (lambda book: book.adopt(units(1, 1), EVICTABLE), DoubleFree, "page 1 is named twice"),
        (lambda book: book.adopt(units(9), EVICTABLE), ForeignIndex, "page 9 is no unit"),
        (lambda book: book.mark(units(4, 1), EVICTABLE), ForeignIndex, "page 1 is not held by the"),
        (lambda book: book.mark(units(0), EVICTABLE), ForeignIndex, "page 0 is no unit"),
        (lambda book: book.check_held(units(1, 3), units(7, 7)), ForeignIndex, "page 3 is not"),
        (lambda book: book.check_held(units(4), units(7)), ForeignIndex, "page 4 is not held"),
    ],
)
def test_refused_call_changes_nothing(call: Call, error: type[Exception], text: str) -> None:
    book = lent()
    before = (book.state.copy(), book.owner.copy(), dict(book.held_by), book.held)
    with pytest.raises(error, match=text):
        call(book)
    assert np.array_equal(book.state, before[0])
    assert np.array_equal(book.owner, before[1])
    assert (dict(book.held_by), book.held) == before[2:]
    book.audit(free(book), evictable=1, protected=1)


def test_tree_locks_and_unlocks_its_own() -> None:
    book = lent()
    book.mark(units(5), PROTECTED)
    book.mark(units(4, 5), PROTECTED)
    book.mark(units(4), EVICTABLE)
    assert book.state[[4, 5]].tolist() == [EVICTABLE, PROTECTED]


def test_owner_who_vanished_leaves_a_leak() -> None:
    book = lent()
    assert book.disown(7) == 2
    assert book.state[[1, 2, 3]].tolist() == [LEAKED, LEAKED, HELD]
    assert (dict(book.held_by), book.held) == ({9: 1}, 1)
    assert book.disown(7) == 0


def test_clear_keeps_generations() -> None:
    book = lent()
    book.clear()
    assert book.state.tolist() == [RETIRED, *[AVAILABLE] * 8]
    assert (book.held, book.held_by, book.owner.max()) == (0, {}, NOBODY)
    assert book.generation.tolist() == [0, 1, 1, 1, 1, 1, 0, 0, 0]


@pytest.mark.parametrize(
    ("listed", "sizes", "text"),
    [
        ((6, 7, 8), (0, 1), "evictable: 1 units by state, 0 by the other book"),
        ((6, 7, 8), (1, 2), "protected: 1 units by state, 2 by the other book"),
        ((6, 7), (1, 1), "available: 3 units by state, 2 by the other book"),
        ((6, 7, 7), (1, 1), "holds a unit twice: 3 entries for 2 units"),
        ((6, 7, 9), (1, 1), "ids from 6 to 9, units are 1 to 8"),
        ((6, 7, 1), (1, 1), "unit 1 is free by list but not by state"),
    ],
)
def test_audit_says_which_books_differ(
    listed: tuple[int, ...], sizes: tuple[int, int], text: str
) -> None:
    with pytest.raises(IntegrityError, match=text):
        lent().audit(units(*listed), *sizes)


def test_audit_compares_owners_with_their_sums() -> None:
    book = lent()
    book.owner[2] = 9
    with pytest.raises(IntegrityError, match="owner 7 has 1 units, 2 by its sum"):
        book.audit(free(book), 1, 1)
