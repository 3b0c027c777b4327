"""The books of a KV pool: what each unit is, who holds it, what was written to it."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pools.base import Checks
from pools.errors import InvalidSize
from pools.snapshot import EVICTABLE, PROTECTED, Geometry, PoolSnapshot
from pools.structures.damage_book import DamageBook
from pools.structures.free_list import FreeList
from pools.structures.kv_buffers import KvBuffers
from pools.structures.kv_units import TreeBook
from pools.structures.occupancy import cell_geometry, free_edges, free_ranges
from pools.structures.page_runs import check_whole_pages, pages_of
from pools.structures.sorted_free_set import SortedFreeSet
from pools.structures.stamps import StampBook
from pools.structures.tally import Tally
from pools.structures.unit_book import UnitBook

Ids = NDArray[np.int64]
Ints = NDArray[np.integer]
#: bytes a token has in the modelled server: 8 KV heads of 128, 32 layers, bf16
MODELLED_BYTES_PER_TOKEN = 131_072


class TokenBooks:
    """Everything of a KV pool but handing out and taking back (`TokenPool`)."""

    KIND: ClassVar[str]
    UNIT: ClassVar[str]

    def __init__(
        self,
        size: int,
        page_size: int,
        *,
        buffers: KvBuffers | None,
        need_sort: bool,
        checks: Checks,
        name: str,
    ) -> None:
        """All units free.

        Args:
            size: tokens, whole pages.
            page_size: tokens per unit.
            buffers: memory of at least size + page_size token ids; None: book-keeping alone.
            need_sort: units given back wait, and are sorted in when a call runs short.
            checks: "strict" or "upstream".
            name: what the page calls the pool.

        Raises:
            InvalidSize: not a positive number of whole pages, or buffers that are too small.
        """
        _check_size(name, size, page_size)
        self.name, self.size, self.page_size = name, size, page_size
        self.checks: Checks = checks
        self.num_units = size // page_size
        self.buffers = buffers
        strict = checks == "strict"
        book = UnitBook if strict else DamageBook
        self._book = book(self.num_units, self.UNIT.removesuffix("s"))
        self._free = _all_free(self.num_units, need_sort, strict)
        self._tree: TreeBook | None = None
        self._tally = Tally()
        self._stamps = None
        if buffers is not None and buffers.memory_check:
            self._stamps = StampBook(self.num_units, page_size, buffers)
        self._corrupted_tokens_total = 0

    # Cells as the probe compares them; cell i is unit i + 1.
    @property
    def state(self) -> NDArray[np.uint8]:
        """Live states, shape (num_units,)."""
        return self._book.state[1:]

    @property
    def generation(self) -> NDArray[np.uint32]:
        """Live generations, shape (num_units,): how often each unit was handed out."""
        return self._book.generation[1:]

    @property
    def owner(self) -> NDArray[np.int32]:
        """Live owners, shape (num_units,), -1 for none: free, or the tree's."""
        return self._book.owner[1:]

    def attach_tree(self, tree: TreeBook) -> None:
        """The tree whose sums account for units that were adopted."""
        self._tree = tree

    def available_size(self) -> int:
        """Free tokens, staged ones included."""
        return len(self._free) * self.page_size

    def held_by(self, owner: int) -> int:
        """Units an owner holds."""
        return self._book.held_by.get(owner, 0)

    def adopt(self, token_ids: Ints, protected: bool) -> None:
        """The tree takes over whole units from their owners.

        Raises:
            ForeignIndex: strict, a unit that nobody holds, or ids that are no whole pages.
            DoubleFree: strict, a unit that is named twice.
        """
        with self._tally:
            if self.checks == "strict":
                check_whole_pages(np.asarray(token_ids, np.int64), self.page_size)
            self._book.adopt(self._whole(token_ids), PROTECTED if protected else EVICTABLE)

    def mark_protected(self, token_ids: Ints) -> None:
        """The tree locked units of its own.

        Raises:
            ForeignIndex: strict, a unit that is not the tree's.
        """
        with self._tally:
            self._book.mark(self._whole(token_ids), PROTECTED)

    def mark_evictable(self, token_ids: Ints) -> None:
        """The tree unlocked units of its own.

        Raises:
            ForeignIndex: strict, a unit that is not the tree's.
        """
        with self._tally:
            self._book.mark(self._whole(token_ids), EVICTABLE)

    def disown(self, owner: int) -> int:
        """An owner vanished without giving back: its units are leaked. Returns how many.

        For faults, not for serving: O(units).
        """
        return self._book.disown(owner)

    def stamp(
        self, token_ids: Ints, row: Ints | int, generation: Ints | int, first_position: Ints | int
    ) -> None:
        """Write (row, generation, position) into the buffer; see `StampBook.write`.

        Raises:
            ForeignIndex: strict, a token id outside the pool; under upstream checks such tokens
                are not written and count as corrupted.
        """
        if self._stamps is None:
            return
        ids = np.asarray(token_ids, np.int64)
        if self.checks != "strict":
            outside = self._stamps.write_inside(ids, row, generation, first_position)
            self._corrupted_tokens_total += outside
            return
        with self._tally:
            self._stamps.write(ids, row, generation, first_position)

    def check(self, token_ids: Ints) -> None:
        """Compare the buffer with what was written to the units of `token_ids`.

        Raises:
            ForeignIndex: strict, a token id outside the pool; under upstream checks such tokens
                are not looked at.
            MemoryCorrupted: the first token that differs.
        """
        if self._stamps is None or len(token_ids) == 0:
            return
        ids = np.asarray(token_ids, np.int64)
        with self._tally:
            if self.checks == "strict":
                self._stamps.refuse_outside(ids)
            self._stamps.check(self._stamps.inside(pages_of(ids, self.page_size)[0]))

    def residual(self) -> int:
        """Units that no book accounts for; negative when owned twice. O(1)."""
        evictable, protected = self._tree_units()
        return self.num_units - len(self._free) - evictable - protected - self._book.held

    def audit(self) -> None:
        """Every book against every other, O(units).

        Raises:
            IntegrityError: naming what differs.
        """
        with self._tally:
            self._book.audit(self._free.to_array(), *self._tree_units())

    def clear(self) -> None:
        """Everything free in the first order; generations go on."""
        self._book.clear()
        self._free.reset()
        if self._stamps is not None:
            self._stamps.clear()

    def snapshot(self, now_s: float, source: str = "synthetic") -> PoolSnapshot:
        """See `pools.snapshot.PoolSnapshot`; amounts in units."""
        evictable, protected = self._tree_units()
        return PoolSnapshot(
            name=self.name,
            kind=self.KIND,
            unit=self.UNIT,
            device=self.buffers.device if self.buffers else "cpu",
            source=source,
            capacity=self.num_units,
            available=len(self._free),
            evictable=evictable,
            protected=protected,
            held=self._book.held,
            leaked=self.residual(),
            page_size=self.page_size,
            modelled_bytes=(self.size + self.page_size) * MODELLED_BYTES_PER_TOKEN,
            allocated_bytes=self.buffers.nbytes if self.buffers else 0,
            free_ranges=free_ranges(free_edges(self.state), any_fits=True),
            counters=self._tally.snapshot(),
            extra={
                "available_size_tokens": self.available_size(),
                "generation_bumps_total": self._book.bumps_total,
                "corrupted_tokens_total": self._corrupted_tokens_total,
            },
        )

    def geometry(self) -> Geometry:
        """Copies, one cell per unit."""
        return cell_geometry(self.state, self.generation, self.owner)

    def _whole(self, token_ids: Ints) -> Ids:
        # Callers pass whole units in order, so every page-size-th token names its unit.
        units: Ids = np.asarray(token_ids, np.int64)[:: self.page_size] // self.page_size
        return units

    def _tree_units(self) -> tuple[int, int]:
        tree = self._tree
        if tree is None:
            return 0, 0
        return tree.evictable_size() // self.page_size, tree.protected_size() // self.page_size


def _all_free(num_units: int, need_sort: bool, strict: bool) -> FreeList | SortedFreeSet:
    # The set is faster and takes every id once; what upstream accepts needs the list.
    fast = need_sort and strict
    return SortedFreeSet(1, num_units) if fast else FreeList(1, num_units, staged=need_sort)


def _check_size(name: str, size: int, page_size: int) -> None:
    if page_size < 1 or size < page_size or size % page_size:
        raise InvalidSize(
            f"{name}: size {size} must be a positive multiple of page_size {page_size}",
            size=size,
            page_size=page_size,
        )
