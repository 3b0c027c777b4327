"""Who wrote which unit: the book that the buffer's stamps are compared with."""

import numpy as np
from numpy.typing import NDArray

from pools.errors import ForeignIndex, InvalidSize, MemoryCorrupted
from pools.structures.kv_buffers import KvBuffers, Stamps

Ints = NDArray[np.integer]


class StampBook:
    """Per unit (a page, or a token): its writer, the position of its first token, tokens filled.

    The first to write after a unit was handed out is its writer, and stays it: a shared prefix
    keeps its first. Whoever else writes there changes the buffer but not this book, which is how
    a wrong index is found. Arrays have shape (units + 1,), index 0 is padding.
    """

    def __init__(self, num_units: int, page_size: int, buffers: KvBuffers) -> None:
        """A book for units 1 .. num_units.

        Raises:
            InvalidSize: the buffer does not reach the last token id.
        """
        slots = (num_units + 1) * page_size
        if buffers.slots < slots:
            raise InvalidSize(
                f"KV buffers: {buffers.slots} slots are too few for {slots}: the pool's size and a "
                "page of padding",
                slots=buffers.slots,
                needed=slots,
            )
        self._page, self._slots, self._buffers = page_size, slots, buffers
        #: (row and generation << 32, position of offset 0)
        self._first = np.zeros((num_units + 1, 2), np.int64)
        self._first_items = self._first.view(np.complex128)[:, 0]
        self._filled = np.zeros(num_units + 1, np.int32)
        #: first offset of the few units whose writer began in the middle
        self._late: dict[int, int] = {}
        self._offsets = np.arange(page_size)

    def write(self, ids: Ints, row: Ints | int, generation: Ints | int, first: Ints | int) -> None:
        """Write tokens `ids`, shape (n,).

        Args:
            ids: token ids; tokens of one unit follow one another.
            row: writer's row, a scalar or one per token.
            generation: the row's generation, a scalar or one per token.
            first: position of ids[0] when a scalar (the others follow), else one per token.

        Raises:
            ForeignIndex: a token id outside the pool; nothing is written.
        """
        if len(ids) == 0:
            return
        self.refuse_outside(ids)
        stamps = np.empty((len(ids), 2), np.int64)
        stamps[:, 0] = np.left_shift(np.asarray(generation).astype(np.int64), 32) | row
        stamps[:, 1] = first
        if np.ndim(first) == 0:
            stamps[:, 1] += np.arange(len(ids))
        self._buffers.write(ids, stamps)
        if self._page == 1:
            self._note(ids, stamps, np.ones(1, np.int32))
        else:
            self._note_pages(ids, stamps)

    def write_inside(
        self, ids: Ints, row: Ints | int, generation: Ints | int, first: Ints | int
    ) -> int:
        """Write those of the tokens that the pool has; how many it has not. See `write`."""
        inside = (ids >= self._page) & (ids < self._slots)
        if np.ndim(first) == 0:
            first = first + np.arange(len(ids))
        writer = (np.broadcast_to(part, ids.shape)[inside] for part in (row, generation, first))
        self.write(ids[inside], *writer)
        return int(np.count_nonzero(~inside))

    def inside(self, units: Ints) -> Ints:
        """Those of `units` that the pool has."""
        return units[(units >= 1) & (units * self._page < self._slots)]

    def refuse_outside(self, ids: Ints) -> None:
        """Refuse token ids that the pool has not.

        Raises:
            ForeignIndex: naming the first one.
        """
        if ids.size and (ids.min() < self._page or ids.max() >= self._slots):
            bad = int(ids[(ids < self._page) | (ids >= self._slots)][0])
            raise ForeignIndex(f"token {bad} is no unit of this pool", token=bad, slots=self._slots)

    def differing(self, units: Ints) -> NDArray[np.int64]:
        """Token ids of `units` whose stamp is not what the book expects, shape (n,)."""
        found = self._buffers.read_pages(units, self._page)
        first = self._first[units]
        bad = found[:, :, 0] != first[:, :1]
        bad |= found[:, :, 1] != first[:, 1:] + self._offsets
        if not bad.any():
            return np.empty(0, np.int64)
        bad &= self._offsets < self._filled[units][:, None]
        if self._late:
            starts = [self._late.get(unit, 0) for unit in units.tolist()]
            bad &= self._offsets >= np.array(starts)[:, None]
        at, offset = np.nonzero(bad)
        return np.asarray(units, np.int64)[at] * self._page + offset

    def check(self, units: Ints) -> None:
        """Compare the buffer with the book, for whole units.

        Raises:
            MemoryCorrupted: the first token that differs, with what was expected and read.
        """
        bad = self.differing(units)
        if bad.size == 0:
            return
        token = int(bad[0])
        found = _unpack(self._buffers.read(bad[:1])[0])
        first = self._first[token // self._page] + (0, token % self._page)
        row, generation, position = expected = _unpack(first)
        raise MemoryCorrupted(
            f"token {token} holds (row, generation, position) {found}, {expected} was written: a "
            "wrong index reached the buffer",
            token=token,
            row=row,
            generation=generation,
            position=position,
            found_row=found[0],
            found_generation=found[1],
            found_position=found[2],
            num_bad=len(bad),
        )

    def forget(self, units: Ints) -> None:
        """The units are free: nothing is expected of them."""
        self._filled[units] = 0
        if self._late:
            for unit in units.tolist():
                self._late.pop(unit, None)

    def clear(self) -> None:
        """Nothing is expected of any unit."""
        self._filled.fill(0)
        self._late.clear()

    def _note_pages(self, ids: Ints, stamps: Stamps) -> None:
        units = ids // self._page
        turns = np.flatnonzero(units[1:] != units[:-1])
        heads = np.concatenate(([0], turns + 1))
        tails = np.concatenate((turns, [len(ids) - 1]))
        units, stamps = units[heads], stamps[heads]
        starts = ids[heads] - units * self._page
        stamps[:, 1] -= starts
        if starts.any():
            late = (starts > 0) & (self._filled[units] == 0)
            self._late.update(zip(units[late].tolist(), starts[late].tolist(), strict=True))
        self._note(units, stamps, ids[tails] - units * self._page + 1)

    def _note(self, units: Ints, first: Stamps, filled: Ints) -> None:
        before = self._filled[units]
        items = first.view(np.complex128)[:, 0]
        if before.any():
            opened = before == 0
            self._first_items[units[opened]] = items[opened]
        else:
            self._first_items[units] = items
        self._filled[units] = np.maximum(before, filled)


def _unpack(stamp: NDArray[np.int64]) -> tuple[int, int, int]:
    writer, position = stamp.tolist()
    # The reader sees what the memory holds: two int32 words, the second one unsigned.
    row = writer & 0xFFFFFFFF
    return row - (row >> 31 << 32), writer >> 32 & 0xFFFFFFFF, position
