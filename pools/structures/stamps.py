"""Who wrote which unit: the book that the buffer's stamps are compared with."""

import numpy as np
from numpy.typing import NDArray

from pools.errors import MemoryCorrupted
from pools.structures.kv_buffers import KvBuffers

Ints = NDArray[np.integer]


class StampBook:
    """Per unit (a page, or a token): writer row, writer generation, first position, tokens filled.

    A unit has one writer; a shared prefix keeps its first. Arrays of shape (units + 1,), index 0
    is padding.
    """

    def __init__(self, num_units: int, page_size: int, buffers: KvBuffers) -> None:
        self._page, self._buffers = page_size, buffers
        self._row = np.zeros(num_units + 1, np.int32)
        self._generation = np.zeros(num_units + 1, np.uint32)
        self._position = np.zeros(num_units + 1, np.int32)
        self._filled = np.zeros(num_units + 1, np.int32)

    def write(self, ids: Ints, row: Ints | int, generation: Ints | int, first: Ints | int) -> None:
        """Write tokens `ids`, shape (n,).

        Args:
            ids: token ids; tokens of one unit follow one another.
            row: writer's row, a scalar or one per token.
            generation: the row's generation, a scalar or one per token.
            first: position of ids[0] when a scalar (the others follow), else one per token.
        """
        if len(ids) == 0:
            return
        position = first + np.arange(len(ids)) if np.ndim(first) == 0 else np.asarray(first)
        self._buffers.write(ids, row, generation, position)
        units, offset = ids // self._page, ids % self._page
        opens = np.flatnonzero(offset == 0)
        opened = units[opens]
        self._row[opened] = row if np.ndim(row) == 0 else np.asarray(row)[opens]
        self._generation[opened] = (
            generation if np.ndim(generation) == 0 else np.asarray(generation)[opens]
        )
        self._position[opened] = position[opens]
        # Later tokens of a unit overwrite earlier ones, so the last one stays.
        self._filled[units] = offset + 1

    def check(self, units: Ints) -> None:
        """Compare the buffer with the book, for whole units.

        Raises:
            MemoryCorrupted: the first token that differs, with what was expected and read.
        """
        offsets = np.arange(self._page)
        filled = offsets < self._filled[units][:, None]
        ids = (units[:, None] * self._page + offsets)[filled]
        if ids.size == 0:
            return
        lengths = self._filled[units]
        expected = np.empty((ids.size, 3), np.int32)
        expected[:, 0] = np.repeat(self._row[units], lengths)
        expected[:, 1] = np.repeat(self._generation[units].view(np.int32), lengths)
        expected[:, 2] = np.repeat(self._position[units], lengths) + ids % self._page
        found = self._buffers.read(ids)
        if np.array_equal(found, expected):
            return
        at = int(np.flatnonzero((found != expected).any(axis=1))[0])
        row, generation, position = expected[at].tolist()
        raise MemoryCorrupted(
            f"token {ids[at]} holds (row, generation, position) {tuple(found[at].tolist())}, "
            f"({row}, {generation}, {position}) was written: a wrong index reached the buffer",
            token=int(ids[at]),
            row=row,
            generation=generation,
            position=position,
        )

    def forget(self, units: Ints) -> None:
        """The units are free: nothing is expected of them."""
        self._filled[units] = 0
