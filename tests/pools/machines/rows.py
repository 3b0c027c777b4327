"""Request rows and host slots against dictionaries."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.stateful import rule

from pools.errors import (
    DoubleFree,
    ForeignIndex,
    HostAllocUnaligned,
    HostFreeUnaligned,
    InvalidSize,
)
from pools.kinds.host_logical import HostLogical
from pools.kinds.request_slots import RequestSlots
from tests.pools.machines.conserved import Conserved

COUNTS = st.integers(0, 10)


class RowsAndHost(Conserved):
    """Rows 1..8; host slots 0..63 in pages of 4."""

    def __init__(self) -> None:
        super().__init__()
        self.rows, self.host = RequestSlots.tiny(), HostLogical.tiny()
        self.pools = [self.rows, self.host]
        self.row_owner: dict[int, int] = {}
        self.blocks: list[np.ndarray] = []
        self.owner = 0

    @rule(count=COUNTS)
    def alloc_rows(self, count: int) -> None:
        if count > 8 - len(self.row_owner):
            self.unchanged(lambda: self.rows.alloc(count))
            return
        owners = [self.owner + at for at in range(count)]
        self.owner += count
        got = self.rows.alloc(count, owners)
        assert got is not None
        assert len(set(got)) == count
        assert set(got) <= set(range(1, 9)) - self.row_owner.keys()
        self.row_owner |= dict(zip(got, owners, strict=True))

    @rule(data=st.data())
    def free_rows(self, data: st.DataObject) -> None:
        held = sorted(self.row_owner)
        chosen = data.draw(st.lists(st.sampled_from(held), unique=True)) if held else []
        self.rows.free(chosen)
        for row in chosen:
            del self.row_owner[row]

    @rule(row=st.integers(-3, 12))
    def free_a_row_that_is_not_held(self, row: int) -> None:
        if row not in self.row_owner:
            self.unchanged(lambda: self.rows.free([row]), DoubleFree, ForeignIndex)
        else:
            self.unchanged(lambda: self.rows.free([row, row]), DoubleFree)

    @rule(count=st.integers(-9, -1))
    def alloc_less_than_nothing(self, count: int) -> None:
        self.unchanged(lambda: self.rows.alloc(count), InvalidSize)
        self.unchanged(lambda: self.host.alloc(4 * count), InvalidSize)

    @rule(pages=COUNTS)
    def alloc_host(self, pages: int) -> None:
        held = sum(map(len, self.blocks))
        if 4 * pages > 64 - held:
            self.unchanged(lambda: self.host.alloc(4 * pages))
            return
        got = self.host.alloc(4 * pages)
        assert got is not None
        taken = {int(slot) for block in self.blocks for slot in block}
        assert taken.isdisjoint(got.tolist())
        assert len(set(got.tolist())) == 4 * pages
        if pages:
            self.blocks.append(got)

    @rule(data=st.data())
    def free_host(self, data: st.DataObject) -> None:
        if self.blocks:
            block = self.blocks.pop(data.draw(st.integers(0, len(self.blocks) - 1)))
            assert self.host.free(block) == len(block)
            self.unchanged(lambda: self.host.free(block), DoubleFree)

    @rule(size=st.integers(1, 63).filter(lambda n: n % 4))
    def unaligned_host_sizes(self, size: int) -> None:
        self.unchanged(lambda: self.host.alloc(size), HostAllocUnaligned)
        self.unchanged(lambda: self.host.free(np.arange(size)), HostFreeUnaligned)

    @rule(start=st.sampled_from([-4, 62, 64, 1000]))
    def free_foreign_host_slots(self, start: int) -> None:
        ids = np.arange(start, start + 4)
        self.unchanged(lambda: self.host.free(ids), ForeignIndex, DoubleFree)

    @rule()
    def clear(self) -> None:
        self.rows.clear()
        self.host.clear()
        self.row_owner.clear()
        self.blocks.clear()

    def teardown(self) -> None:
        assert self.rows.available_size() == 8 - len(self.row_owner)
        for row, owner in self.row_owner.items():
            assert self.rows.owner[row - 1] == owner
        assert self.host.available_size() == 64 - sum(map(len, self.blocks))
