"""Request rows and host slots against plain lists, which also know the order of ids."""

import numpy as np

from pools.errors import (
    DoubleFree,
    ForeignIndex,
    HostAllocUnaligned,
    HostFreeUnaligned,
    InvalidSize,
)
from pools.kinds.host_logical import HostLogical
from pools.kinds.request_slots import RequestSlots
from tests.pools.machines.conserved import Amounts, Conserved
from tests.pools.machines.draws import Drawing, data, integers, rule, sampled_from, some_of

ROWS, SLOTS, PAGE = 8, 64, 4


class RowsAndHost(Conserved):
    """Rows 1..8, last in first out; host slots 0..63 in pages of 4, first in first out."""

    def __init__(self) -> None:
        super().__init__()
        self.rows, self.host = RequestSlots.tiny(), HostLogical.tiny()
        self.pools = [self.rows, self.host]
        self.owner = 0
        self.forget()

    def forget(self) -> None:
        self.stack = list(range(1, ROWS + 1))
        self.row_owner: dict[int, int] = {}
        self.leaked: set[int] = set()
        self.line, self.waiting = list(range(SLOTS)), list[int]()
        self.blocks: list[np.ndarray] = []

    def model(self) -> Amounts:
        held = sum(map(len, self.blocks))
        assert self.rows.owner.tolist() == [
            self.row_owner.get(row, self.rows.owner[row - 1] if row in self.leaked else -1)
            for row in range(1, ROWS + 1)
        ]
        return {
            "request_slots": {
                "available": len(self.stack),
                "held": len(self.row_owner),
                "leaked": len(self.leaked),
            },
            "host_logical": {"available": SLOTS - held, "held": held},
        }

    @rule(count=integers(0, 10))
    def alloc_rows(self, count: int) -> None:
        if count > len(self.stack):
            self.unchanged(lambda: self.rows.alloc(count))
            return
        owners = [self.owner + at for at in range(count)]
        self.owner = (self.owner + count) % 2**31
        got = self.rows.alloc(count, owners)
        first = len(self.stack) - count
        assert got == self.stack[first:]
        del self.stack[first:]
        self.row_owner |= dict(zip(got, owners, strict=True))

    @rule(drawing=data())
    def free_rows(self, drawing: Drawing) -> None:
        chosen = drawing.draw(some_of(sorted(self.row_owner.keys() | self.leaked)))
        self.rows.free(chosen)
        self.stack += chosen
        self.leaked -= set(chosen)
        for row in chosen:
            self.row_owner.pop(row, None)

    @rule(drawing=data(), rarely=True)
    def a_request_vanishes(self, drawing: Drawing) -> None:
        if self.row_owner:
            row = drawing.draw(sampled_from(sorted(self.row_owner)))
            self.rows.disown(row)
            del self.row_owner[row]
            self.leaked.add(row)
            self.unchanged(lambda: self.rows.disown(row), ForeignIndex)

    @rule(row=integers(-3, 12))
    def free_a_row_that_is_not_held(self, row: int) -> None:
        if row in self.row_owner or row in self.leaked:
            self.unchanged(lambda: self.rows.free([row, row]), DoubleFree)
        else:
            error = DoubleFree if 1 <= row <= ROWS else ForeignIndex
            self.unchanged(lambda: self.rows.free([*self.row_owner, row]), error)

    @rule(count=integers(-9, -1))
    def alloc_less_than_nothing(self, count: int) -> None:
        self.unchanged(lambda: self.rows.alloc(count), InvalidSize)
        self.unchanged(lambda: self.host.alloc(PAGE * count), InvalidSize)

    @rule(count=integers(0, 10), owner=sampled_from([2**31, -(2**31) - 1, 2**62]))
    def alloc_rows_for_an_owner_that_cannot_be(self, count: int, owner: int) -> None:
        self.unchanged(lambda: self.rows.alloc(count + 1, [1] * count + [owner]), InvalidSize)
        self.unchanged(lambda: self.rows.alloc(count, [1] * (count + 1)), InvalidSize)

    @rule(pages=integers(0, 10))
    def alloc_host(self, pages: int) -> None:
        size = PAGE * pages
        if size > len(self.line):
            self.line, self.waiting = self.line + self.waiting, []
        if size > len(self.line):
            self.unchanged(lambda: self.host.alloc(size))
            return
        got = self.host.alloc(size)
        assert got is not None
        assert got.tolist() == self.line[:size]
        del self.line[:size]
        if pages:
            self.blocks.append(got)

    @rule(drawing=data(), shuffled=integers(0, 2))
    def free_host(self, drawing: Drawing, shuffled: int) -> None:
        if self.blocks:
            block = self.blocks.pop(drawing.draw(integers(0, len(self.blocks) - 1)))
            given = np.roll(block, shuffled)
            assert self.host.free(given) == len(block)
            self.waiting += given.tolist()
            self.unchanged(lambda: self.host.free(block), DoubleFree)

    @rule(drawing=data())
    def free_one_host_slot_twice_in_one_call(self, drawing: Drawing) -> None:
        if self.blocks:
            block = self.blocks[drawing.draw(integers(0, len(self.blocks) - 1))].copy()
            block[-1] = block[0]
            self.unchanged(lambda: self.host.free(block), DoubleFree)

    @rule(size=integers(0, 15), odd=integers(1, 3))
    def unaligned_host_sizes(self, size: int, odd: int) -> None:
        size = PAGE * size + odd
        self.unchanged(lambda: self.host.alloc(size), HostAllocUnaligned)
        self.unchanged(lambda: self.host.free(np.arange(size)), HostFreeUnaligned)

    @rule(start=sampled_from([-4, 62, 64, 1000]))
    def free_foreign_host_slots(self, start: int) -> None:
        self.unchanged(lambda: self.host.free(np.arange(start, start + PAGE)), ForeignIndex)

    @rule(rarely=True)
    def clear(self) -> None:
        self.rows.clear()
        self.host.clear()
        self.forget()
