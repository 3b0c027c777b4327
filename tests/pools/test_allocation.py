"""Evict, allocate, and the errors that upstream raises here: their texts and numbers."""

import numpy as np
import pytest

from pools.allocation import (
    alloc_for_decode,
    alloc_for_decode_steps,
    alloc_for_extend,
    alloc_req_slots,
    alloc_token_slots,
    evict_for,
)
from pools.errors import (
    KvDecodeOutOfMemory,
    KvPrefillOutOfMemory,
    KvTokenOutOfMemory,
    PoolError,
    ReqSlotsExhausted,
)
from pools.kinds.kv_pages import KvPages
from pools.kinds.kv_tokens import KvTokens
from pools.kinds.radix import Radix
from pools.kinds.request_slots import RequestSlots

PAGE, PAGES = 4, 8
OWNER = 9


def ids(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def paged(evictable: int = 0, held: int = 0) -> tuple[KvPages, Radix]:
    """8 pages of 4; so many pages in leaves of one page each, so many held by request 1."""
    kv = KvPages(PAGES * PAGE, PAGE)
    tree = Radix(kv, PAGE)
    keep(kv, tree, evictable, PAGE)
    assert kv.alloc(held * PAGE, 1) is not None
    return kv, tree


def tokens(evictable: int = 0, held: int = 0) -> tuple[KvTokens, Radix]:
    kv = KvTokens(8)
    tree = Radix(kv, 1)
    keep(kv, tree, evictable, 1)
    assert kv.alloc(held, 1) is not None
    return kv, tree


def keep(kv: KvPages | KvTokens, tree: Radix, leaves: int, page: int) -> None:
    for leaf in range(leaves):
        got = kv.alloc(page, 2)
        assert got is not None
        tree.insert(np.full(page, 100 + leaf), got)


def test_rows_or_the_error_with_both_numbers() -> None:
    slots = RequestSlots.tiny()
    assert alloc_req_slots(slots, 6, [1, 2, 3, 4, 5, 6]) == [3, 4, 5, 6, 7, 8]
    with pytest.raises(ReqSlotsExhausted) as raised:
        alloc_req_slots(slots, 3)
    assert str(raised.value) == (
        "alloc_req_slots runs out of memory. Please set a smaller number for "
        "`--max-running-requests`. req_to_token_pool.available_size()=2, num_reqs=3, "
    )
    assert raised.value.code == "alloc-req-slots-exhausted"
    assert raised.value.numbers == {"available_size": 2, "num_reqs": 3}
    assert isinstance(raised.value, RuntimeError)
    assert slots.available_size() == 2


def out_of_memory(error: PoolError, lead: str, need: int, free: int, evictable: int) -> None:
    assert str(error) == (
        f"{lead} Try to lower your batch size.\nTry to allocate {need} tokens.\n"
        f"Available tokens: {free + evictable} "
        f"(available_size={free} + evictable_size={evictable})\n"
    )
    numbers = {"need_tokens": need, "available_tokens": free, "evictable_tokens": evictable}
    assert error.numbers == numbers
    assert isinstance(error, RuntimeError)


def test_tokens_are_evicted_before_they_are_taken() -> None:
    kv, tree = tokens(evictable=3, held=4)
    assert alloc_token_slots(tree, kv, 3, OWNER).tolist() == [8, 1, 2]
    assert (tree.evictable_size(), kv.available_size()) == (1, 0)
    with pytest.raises(KvTokenOutOfMemory) as raised:
        alloc_token_slots(tree, kv, 2, OWNER)
    out_of_memory(raised.value, "Out of memory.", need=2, free=1, evictable=0)
    assert raised.value.code == "kv-token-alloc-oom"
    assert kv.held_by(OWNER) == 3


def test_extend_evicts_for_its_tokens_and_a_page_per_request() -> None:
    kv, tree = paged(evictable=5)
    got = alloc_for_extend(tree, kv, ids(0, 0), ids(4, 3), ids(-1, -1), ids(7, OWNER))
    assert got.tolist() == [4, 5, 6, 7, 24, 25, 26], "the page that was freed comes first"
    assert tree.evictable_size() == 5 * PAGE - 4, "7 tokens and 2 pages are 15 of 12 free"


def test_extend_that_finds_too_little_says_so_in_paged_words() -> None:
    kv, tree = paged(evictable=2, held=5)
    with pytest.raises(KvPrefillOutOfMemory) as raised:
        alloc_for_extend(tree, kv, ids(0), ids(17), ids(-1), ids(OWNER))
    out_of_memory(raised.value, "Prefill out of memory.", need=17, free=12, evictable=0)
    assert raised.value.code == "kv-prefill-oom"
    assert (kv.available_size(), kv.held_by(OWNER)) == (12, 0)


def test_extend_by_token_has_no_rounding_and_the_plain_words() -> None:
    kv, tree = tokens(evictable=2, held=2)
    got = alloc_for_extend(tree, kv, ids(0), ids(4), ids(-1), ids(OWNER))
    assert got.tolist() == [5, 6, 7, 8]
    assert tree.evictable_size() == 2, "as many as were free"
    with pytest.raises(KvTokenOutOfMemory) as raised:
        alloc_for_extend(tree, kv, ids(4), ids(7), ids(8), ids(OWNER))
    out_of_memory(raised.value, "Out of memory.", need=3, free=2, evictable=0)


def test_decode_evicts_a_page_per_request_and_takes_what_crosses() -> None:
    kv, tree = paged(evictable=3, held=3)
    first = alloc_for_extend(tree, kv, ids(0), ids(3), ids(-1), ids(OWNER))
    assert (kv.available_size(), tree.evictable_size()) == (PAGE, 3 * PAGE)
    got = alloc_for_decode(tree, kv, ids(4), ids(int(first[-1])), ids(OWNER))
    assert got.tolist() == [int(first[-1]) + 1]
    assert tree.evictable_size() == 3 * PAGE, "a page was free"
    got = alloc_for_decode(tree, kv, ids(5), got, ids(OWNER))
    got = alloc_for_decode(tree, kv, ids(6), got, ids(OWNER))
    assert tree.evictable_size() == 2 * PAGE, "asked for although no page was needed"
    assert kv.held_by(OWNER) == 2


def test_decode_that_finds_too_little_says_so_in_paged_words() -> None:
    kv, tree = paged(evictable=1, held=7)
    with pytest.raises(KvDecodeOutOfMemory) as raised:
        alloc_for_decode(tree, kv, ids(5, 9), ids(7, 11), ids(1, 1))
    out_of_memory(raised.value, "Decode out of memory.", need=2, free=4, evictable=0)
    assert raised.value.code == "kv-decode-oom"


def test_decode_by_token_has_the_plain_words() -> None:
    kv, tree = tokens(held=8)
    with pytest.raises(KvTokenOutOfMemory) as raised:
        alloc_for_decode(tree, kv, ids(5), ids(7), ids(1))
    out_of_memory(raised.value, "Out of memory.", need=1, free=0, evictable=0)


@pytest.mark.parametrize("length", range(1, 9))
@pytest.mark.parametrize("steps", [1, 2, 5, 9])
def test_steps_at_once_leave_what_steps_one_by_one_leave(length: int, steps: int) -> None:
    rows, left = [], []
    for at_once in (True, False):
        kv, tree = paged(evictable=4)
        last = alloc_for_extend(tree, kv, ids(0), ids(length), ids(-1), ids(OWNER))[-1:]
        if at_once:
            got = alloc_for_decode_steps(tree, kv, ids(length), last, ids(OWNER), steps)[:, 0]
            rows.append(got.tolist())
        else:
            one_by_one = []
            for step in range(1, steps + 1):
                last = alloc_for_decode(tree, kv, ids(length + step), last, ids(OWNER))
                one_by_one += last.tolist()
            rows.append(one_by_one)
        left.append((kv.available_size(), tree.evictable_size(), kv.held_by(OWNER)))
    assert left[0] == left[1]
    assert [token % PAGE for token in rows[0]] == [token % PAGE for token in rows[1]]


def test_steps_that_do_not_fit_are_refused_as_one() -> None:
    kv, tree = paged(held=7)
    with pytest.raises(KvDecodeOutOfMemory) as raised:
        alloc_for_decode_steps(tree, kv, ids(4), ids(7), ids(1), 6)
    out_of_memory(raised.value, "Decode out of memory.", need=6, free=4, evictable=0)
    assert kv.held_by(1) == 7


def test_nothing_is_evicted_while_enough_is_free() -> None:
    kv, tree = paged(evictable=2)
    evict_for(tree, kv, 6 * PAGE)
    assert tree.evictable_size() == 2 * PAGE
    evict_for(tree, kv, 6 * PAGE + 1)
    assert tree.evictable_size() == PAGE
