import numpy as np
import pytest

from pools.errors import IntegrityError
from pools.snapshot import AVAILABLE, HELD, LEAKED, RETIRED
from pools.structures.leases import Lease, LeaseBook

LIMIT = 5


def book(num_slots: int = 4, *, retire: bool = True) -> LeaseBook:
    return LeaseBook(num_slots, LIMIT, retire=retire)


def open_one(leases: LeaseBook, *, owner: int = -1, now_s: float = 0.0) -> Lease:
    return leases.open(256, 768, 400, owner, now_s)


def test_slots_come_lowest_first_and_then_the_last_released() -> None:
    leases = book()
    first, second, third = (open_one(leases) for _ in range(3))
    assert [x.slot for x in (first, second, third)] == [0, 1, 2]
    leases.close(second)
    leases.close(first)
    assert [open_one(leases).slot for _ in range(3)] == [0, 1, 3]
    leases.audit()


def test_each_lease_of_a_slot_has_the_next_generation() -> None:
    leases = book()
    seen = []
    for _ in range(3):
        lease = open_one(leases)
        seen.append((lease.slot, lease.generation))
        leases.close(lease)
    assert seen == [(0, 1), (0, 2), (0, 3)]


def test_arrays_follow_the_lease() -> None:
    leases = book()
    lease = open_one(leases, owner=7)
    cells = (leases.state, leases.generation, leases.owner, leases.start, leases.end)
    assert [int(array[0]) for array in cells] == [HELD, 1, 7, 256, 768]
    assert (leases.held_bytes, leases.waste_bytes) == (512, 112)
    leases.close(lease)
    assert (int(leases.state[0]), int(leases.owner[0])) == (AVAILABLE, -1)
    assert (leases.held_bytes, leases.waste_bytes) == (0, 0)


def test_a_lease_is_active_until_closed_and_not_after_its_slot_is_leased_again() -> None:
    leases = book()
    old = open_one(leases)
    assert leases.is_active(old)
    leases.close(old)
    assert not leases.is_active(old)
    assert open_one(leases).slot == old.slot
    assert not leases.is_active(old)


def test_a_slot_released_at_the_limit_is_retired() -> None:
    leases = book(2)
    leases.set_generations(np.array([0]), LIMIT - 1)
    lease = open_one(leases)
    assert lease.generation == LIMIT
    leases.close(lease)
    assert (int(leases.state[0]), leases.retired_slots, leases.usable_slots) == (RETIRED, 1, 1)
    assert open_one(leases).slot == 1
    leases.audit()


def test_waiting_can_help_while_a_lease_below_the_limit_is_out() -> None:
    leases = book(2)
    leases.set_generations(np.array([0, 1]), LIMIT - 1)
    leases.close(open_one(leases))
    leases.set_generations(np.array([1]), 0)
    out = open_one(leases)
    assert (leases.can_open, leases.worn_slot) == (False, None)
    leases.close(out)
    assert leases.can_open


def test_all_slots_retired_or_leased_for_the_last_time_is_exhausted() -> None:
    leases = book(2)
    leases.set_generations(np.array([0, 1]), LIMIT - 1)
    leases.close(open_one(leases))
    open_one(leases)
    assert (leases.can_open, leases.worn_slot) == (False, 0)


def test_free_slots_set_to_the_limit_are_kept_off_the_stack_in_order() -> None:
    leases = book(3)
    leases.set_generations(np.array([0, 2]), LIMIT)
    assert (leases.usable_slots, leases.can_open) == (1, True)
    assert open_one(leases).slot == 1
    assert leases.worn_slot == 0
    leases.set_generations(np.array([0, 2]), 1)
    assert [open_one(leases).slot for _ in range(2)] == [0, 2]
    leases.audit()


def test_without_retirement_a_worn_slot_stays_on_top() -> None:
    leases = book(2, retire=False)
    leases.set_generations(np.array([0]), LIMIT)
    assert (leases.can_open, leases.usable_slots) == (False, 2)
    assert leases.lose_next() == 0
    assert (int(leases.state[0]), leases.lost_slots, leases.can_open) == (LEAKED, 1, True)
    leases.audit()


@pytest.mark.parametrize("retire", [True, False])
def test_closing_many_is_closing_each_in_the_order_of_leasing(retire: bool) -> None:
    at_once, singly = book(retire=retire), book(retire=retire)
    for leases in (at_once, singly):
        leases.set_generations(np.array([1]), LIMIT - 1)
        first, second = open_one(leases), open_one(leases)
        leases.close(first)
        open_one(leases)
        open_one(leases)
        assert second.generation == LIMIT
    closed = at_once.close_many(np.array([0, 1, 2]))
    assert [lease.slot for lease in closed] == [1, 0, 2]
    for lease in list(singly.occupied.values()):
        singly.close(lease)
    assert at_once.free_slots() == singly.free_slots()
    assert at_once.state.tolist() == singly.state.tolist()
    assert at_once.retired_slots == singly.retired_slots == int(retire)
    for leases in (at_once, singly):
        assert (leases.held_bytes, leases.waste_bytes) == (0, 0)
        leases.audit()


def test_closing_none_changes_nothing() -> None:
    leases = book()
    open_one(leases)
    assert leases.close_many(np.empty(0, np.int64)) == []
    leases.audit()


def test_describes_the_oldest_lease_and_what_each_consumer_owes() -> None:
    leases = book()
    assert leases.describe(np.empty((0, 2), np.bool_), 9.0).oldest_age_s == 0.0
    old = open_one(leases, now_s=1.0)
    open_one(leases, now_s=4.0)
    open_one(leases, now_s=5.0)
    owed = np.array([[True, False], [True, True], [True, False]])
    figures = leases.describe(owed, 9.0)
    assert (figures.count, figures.oldest_age_s, figures.outstanding) == (3, 8.0, (3, 1))
    leases.close(old)
    assert leases.describe(owed[1:], 9.0).oldest_age_s == 5.0


def test_rows_name_slot_range_generation_and_missing_acks() -> None:
    leases = book()
    open_one(leases)
    rows = leases.rows(np.array([0]), np.array([[True, True, False]]), 256)
    assert rows.tolist() == [[0, 0, 512, 1, 2]]


def test_clear_frees_all_but_retired_slots_and_keeps_generations() -> None:
    leases = book()
    leases.set_generations(np.array([0]), LIMIT - 1)
    for _ in range(3):
        open_one(leases)
    leases.clear()
    assert leases.state.tolist() == [RETIRED, AVAILABLE, AVAILABLE, AVAILABLE]
    assert leases.generation.tolist() == [LIMIT, 1, 1, 0]
    assert [open_one(leases).slot for _ in range(3)] == [1, 2, 3]
    leases.audit()


@pytest.mark.parametrize("what", ["held bytes", "leased slots", "names", "free states"])
def test_audit_names_the_book_that_differs(what: str) -> None:
    leases = book()
    open_one(leases)
    if what == "held bytes":
        leases.held_bytes += 1
    elif what == "leased slots":
        leases.state[0] = LEAKED
        leases.lost_slots = 1
    elif what == "names":
        leases.generation[0] += 1
    else:
        leases.state[[0, 3]] = AVAILABLE, HELD
    with pytest.raises(IntegrityError, match=what):
        leases.audit()
