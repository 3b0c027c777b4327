"""Upstream checks: what a double free and a foreign id leave behind is counted, never refused."""

import numpy as np

from pools.kinds.kv_pages import KvPages
from pools.snapshot import AVAILABLE, EVICTABLE, HELD
from pools.structures.damage_book import DamageBook


def units(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def give_back(book: DamageBook, *values: int) -> None:
    given = units(*values)
    book.take_back(given, book.check_free(given))


def test_unit_of_two_owners_is_given_back_by_each() -> None:
    book = DamageBook(4)
    book.give(units(1), 7)
    book.give(units(1, 2), 9)
    assert (dict(book.held_by), book.held, int(book.owner[1])) == ({7: 1, 9: 2}, 3, 9)
    give_back(book, 1)
    assert (dict(book.held_by), int(book.state[1]), int(book.owner[1])) == ({7: 1, 9: 1}, HELD, 7)
    give_back(book, 1)
    assert (dict(book.held_by), book.held, int(book.state[1])) == ({9: 1}, 1, AVAILABLE)


def test_unit_freed_twice_is_owed_by_nobody() -> None:
    book = DamageBook(4)
    book.give(units(3), 7)
    give_back(book, 3, 3)
    give_back(book, 3)
    assert (dict(book.held_by), book.held) == ({}, 0)


def test_foreign_id_can_be_lent_and_given_back() -> None:
    book = DamageBook(4)
    give_back(book, 99, 0, -5)
    book.give_each(units(99, 0, 1), units(7, 8, 9))
    assert (dict(book.held_by), book.held) == ({7: 1, 8: 1, 9: 1}, 3)
    give_back(book, 99, 0)
    assert (dict(book.held_by), book.held) == ({9: 1}, 1)
    assert book.generation.tolist() == [0, 1, 0, 0, 0], "padding is not worn by a foreign id"


def test_tree_takes_over_whatever_it_is_shown() -> None:
    book = DamageBook(4)
    book.give(units(1, 1), 7)
    book.adopt(units(1, 3, 99), EVICTABLE)
    assert book.state[[1, 3]].tolist() == [EVICTABLE, EVICTABLE]
    assert (dict(book.held_by), book.held) == ({7: 1}, 1), "the second owner still holds it"
    book.mark(units(1, 99, -1), HELD)
    assert book.state[1] == HELD


def test_clear_forgets_second_owners() -> None:
    book = DamageBook(4)
    book.give(units(1, 1, 99), 7)
    book.clear()
    give_back(book, 1, 99)
    assert (book.held, dict(book.held_by)) == (0, {})


def test_pages_freed_twice_show_a_signed_residual_that_stays() -> None:
    kv = KvPages(32, 4, checks="upstream")
    whole = kv.alloc(32, 1)
    assert whole is not None
    kv.free(whole[:8])
    kv.free(whole[:8])
    assert (kv.available_size(), kv.residual()) == (16, -2)
    both = kv.alloc(16, 2)
    assert both is not None
    assert len(set(both.tolist())) == 8, "two owners of the same pages"
    assert kv.residual() == -2
    kv.free(both[:8])
    kv.free(both[8:])
    kv.free(whole[8:])
    assert (kv.available_size(), kv.held_by(1), kv.held_by(2)) == (40, 0, 0)
    assert kv.residual() == -2
    assert kv.snapshot(0.0).leaked == -2
