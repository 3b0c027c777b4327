"""Streaming in order of time while holding only what is early."""

from collections.abc import Iterator

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.traces.order import peak_waiting, reordered, time_order


def test_sorted_arrivals_need_no_order() -> None:
    assert time_order(np.array([0, 0, 5, 9], np.int64)) is None


def test_equal_arrivals_keep_the_order_of_the_file() -> None:
    order = time_order(np.array([5, 0, 5, 0], np.int64))
    assert order is not None
    assert order.tolist() == [1, 3, 0, 2]


@given(st.lists(st.integers(0, 50), min_size=2, max_size=40), st.data())
def test_any_disorder_is_undone_and_its_peak_foretold(
    times: list[int], data: st.DataObject
) -> None:
    order = time_order(np.array(times, np.int64))
    if order is None:
        return
    sizes = data.draw(st.lists(st.integers(1, 9), min_size=len(times), max_size=len(times)))
    read = 0

    def items() -> Iterator[int]:
        nonlocal read
        for position in range(len(times)):
            read = position + 1
            yield position

    given_out: list[int] = []
    peak = 0
    for position in reordered(items(), order):
        peak = max(peak, sum(sizes[:read]) - sum(sizes[one] for one in given_out))
        given_out.append(position)
    assert given_out == order.tolist()
    assert [times[one] for one in given_out] == sorted(times)
    assert peak_waiting(order, np.array(sizes, np.int64)) == peak
