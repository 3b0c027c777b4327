"""Arrivals in order of time, streamed even when a file is not."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item")


def time_order(arrivals_ns: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Indices that sort the arrivals, equal ones in the file's order; None when sorted already."""
    if bool(np.all(arrivals_ns[1:] >= arrivals_ns[:-1])):
        return None
    return np.argsort(arrivals_ns, kind="stable")


def peak_waiting(order: NDArray[np.int64], weights: NDArray[np.int64]) -> int:
    """Most weight that `reordered` holds at once.

    Args:
        order: file positions in order of time [n].
        weights: of each item in the file's order [n].
    """
    # an item waits from where it stands to where the last one that precedes it in time stands
    released = np.maximum.accumulate(order)
    change = np.zeros(len(order) + 1, np.int64)
    np.add.at(change, order, weights[order])
    np.add.at(change, released + 1, -weights[order])
    return int(np.cumsum(change).max())


def reordered(items: Iterable[Item], order: NDArray[np.int64]) -> Iterator[Item]:
    """The items in the given order, holding only those that are early."""
    waiting: dict[int, Item] = {}
    turns = iter(order.tolist())
    turn = next(turns, None)
    for position, item in enumerate(items):
        waiting[position] = item
        while turn is not None and turn in waiting:
            yield waiting.pop(turn)
            turn = next(turns, None)
