"""What the paged and the token-granular KV pool share: everything but page size and order.

Token ids are what callers see: token = unit * page_size + offset. Unit 0 is padding, as upstream.

Invariants:
    I1  available + evictable + protected + held + leaked == capacity, each from its own book.
    I2  a unit is free, or has one owner, or belongs to the tree.
    I3  a unit's generation only grows.
    I4  a call that raises or returns None changes nothing.
    I5  what was written to a unit is what a free reads back (memory_check).
"""

from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from pools.base import Checks
from pools.errors import InvalidSize, PoolError
from pools.snapshot import EVICTABLE, PROTECTED, Geometry, PoolSnapshot
from pools.structures.free_list import FreeList
from pools.structures.kv_buffers import KvBuffers
from pools.structures.occupancy import free_edges, free_ranges
from pools.structures.stamps import StampBook
from pools.structures.tally import Tally
from pools.structures.unit_book import UnitBook

Ids = NDArray[np.int64]
Ints = NDArray[np.integer]
#: bytes a token has in the modelled server: 8 KV heads of 128, 32 layers, bf16
MODELLED_BYTES_PER_TOKEN = 131_072


class TreeBook(Protocol):
    """The prefix tree's own sums, in tokens: the second book for units it has taken over."""

    def evictable_size(self) -> int:
        """Tokens in unlocked nodes."""
        ...

    def protected_size(self) -> int:
        """Tokens in locked nodes."""
        ...


class TokenPool:
    """Book-keeping of a KV pool; `pools.kinds` sets page size and order."""

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
        if size < page_size or page_size < 1 or size % page_size:
            raise InvalidSize(
                f"{name}: size {size} must be a positive multiple of page_size {page_size}",
                size=size,
                page_size=page_size,
            )
        self.name, self.size, self.page_size = name, size, page_size
        self.checks: Checks = checks
        self.num_units = size // page_size
        self.buffers = buffers
        self._book = UnitBook(self.num_units)
        self._free = FreeList(1, self.num_units, staged=need_sort)
        self._tree: TreeBook | None = None
        self._tally = Tally()
        checked = buffers is not None and buffers.memory_check
        self._stamps = (
            StampBook(self.num_units, page_size, buffers) if checked and buffers else None
        )

    # Cells as the probe compares them; cell i is unit i + 1.
    @property
    def state(self) -> NDArray[np.uint8]:
        """Live states, shape (num_units,)."""
        return self._book.state[1:]

    @property
    def generation(self) -> NDArray[np.uint32]:
        """Live generations, shape (num_units,)."""
        return self._book.generation[1:]

    @property
    def owner(self) -> NDArray[np.int32]:
        """Live owners, shape (num_units,), -1 for none."""
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

    def alloc_extend(
        self, prefix_lens: Ints, seq_lens: Ints, last_locs: Ints, owners: Ints
    ) -> Ids | None:
        """Token ids for prompts that grow from prefix_lens to seq_lens.

        The last page of a prefix is filled up first (`last_locs`, the token id of the prefix's
        last token), then new units are taken.

        Args:
            prefix_lens, seq_lens, last_locs, owners: shape (bs,).
        Returns:
            int64 token ids, shape (sum(seq_lens - prefix_lens),), request after request; None when
            too few units are free.
        """
        page = self.page_size
        extend = np.asarray(seq_lens) - np.asarray(prefix_lens)
        if (extend < 0).any():
            raise self._tally.raised(InvalidSize("seq_lens must not be below prefix_lens"))
        tails = np.minimum(-np.asarray(prefix_lens) % page, extend)
        fresh = -(-(extend - tails) // page)
        units = self._take(int(fresh.sum()))
        if units is None:
            return None
        out, at = [], 0
        for tail, new, rest, last, owner in zip(
            tails.tolist(),
            fresh.tolist(),
            (extend - tails).tolist(),
            last_locs,
            owners,
            strict=True,
        ):
            mine = units[at : at + new]
            at += new
            if new:
                self._book.give(mine, int(owner))
            if tail:
                out.append(np.arange(last + 1, last + 1 + tail, dtype=np.int64))
            out.append(self._tokens(mine)[:rest])
        self._tally.allocs += 1
        return np.concatenate(out) if out else np.empty(0, np.int64)

    def alloc_decode(self, seq_lens: Ints, last_locs: Ints, owners: Ints) -> Ids | None:
        """One token id per request; a new unit where the length crosses a page.

        Args:
            seq_lens: lengths that include the new token, shape (bs,).
            last_locs: token id of the token before, shape (bs,).
            owners: shape (bs,).
        Returns:
            int64, shape (bs,); None when too few units are free.
        """
        crossing = np.flatnonzero((np.asarray(seq_lens) - 1) % self.page_size == 0)
        units = self._take(len(crossing))
        if units is None:
            return None
        ids = np.asarray(last_locs, np.int64) + 1
        if len(units):
            ids[crossing] = units * self.page_size
            self._book.give_each(units, np.asarray(owners)[crossing])
        self._tally.allocs += 1
        return ids

    def free(self, token_ids: Ints) -> None:
        """Give back the units of `token_ids`, whole.

        Raises:
            DoubleFree, ForeignIndex: strict checks; nothing is freed.
            MemoryCorrupted: the buffer does not hold what was written; nothing is freed.
        """
        units, given = self._units_of(token_ids)
        if len(units) == 0:
            return
        if self.checks == "strict":
            try:
                self._book.check_free(units, given)
            except PoolError as error:
                raise self._tally.raised(error) from None
            if self._stamps is not None:
                self._stamps.check(units)
        known = units[(units >= 1) & (units <= self.num_units)]
        self._book.take_back(known)
        if self._stamps is not None:
            self._stamps.forget(known)
        self._give_back(units)
        self._tally.frees += 1

    def adopt(self, token_ids: Ints, protected: bool) -> None:
        """The tree takes over whole units from their owners."""
        self._book.adopt(self._whole(token_ids), PROTECTED if protected else EVICTABLE)

    def mark_protected(self, token_ids: Ints) -> None:
        """The tree locked units of its own."""
        self._book.mark(self._whole(token_ids), PROTECTED)

    def mark_evictable(self, token_ids: Ints) -> None:
        """The tree unlocked units of its own."""
        self._book.mark(self._whole(token_ids), EVICTABLE)

    def disown(self, owner: int) -> int:
        """An owner vanished without giving back: its units are leaked. Returns how many."""
        return self._book.disown(owner)

    def stamp(
        self, token_ids: Ints, row: Ints | int, generation: Ints | int, first_position: Ints | int
    ) -> None:
        """Write (row, generation, position) into the buffer; see `StampBook.write`."""
        if self._stamps is not None:
            self._stamps.write(np.asarray(token_ids), row, generation, first_position)

    def check(self, token_ids: Ints) -> None:
        """Compare the buffer with what was written to the units of `token_ids`.

        Raises:
            MemoryCorrupted: the first token that differs.
        """
        if self._stamps is not None:
            self._stamps.check(self._units_of(token_ids)[0])

    def residual(self) -> int:
        """Units that no book accounts for; negative when owned twice."""
        evictable, protected = self._tree_units()
        return self.num_units - len(self._free) - evictable - protected - self._book.held

    def audit(self) -> None:
        """Every book against every other, O(units).

        Raises:
            IntegrityError: naming what differs.
        """
        self._book.audit(self._free.to_array(), *self._tree_units())

    def clear(self) -> None:
        """Everything free in the first order; generations go on."""
        self._book.clear()
        self._free.reset()
        if self._stamps is not None:
            self._stamps.forget(np.arange(1, self.num_units + 1))

    def snapshot(self, now_s: float, source: str = "synthetic") -> PoolSnapshot:
        """See `pools.snapshot.PoolSnapshot`; amounts in units."""
        evictable, protected = self._tree_units()
        buffers = self.buffers
        return PoolSnapshot(
            name=self.name,
            kind=self.KIND,
            unit=self.UNIT,
            device=str(buffers.k[0].device) if buffers else "cpu",
            source=source,
            capacity=self.num_units,
            available=len(self._free),
            evictable=evictable,
            protected=protected,
            held=self._book.held,
            leaked=self.residual(),
            page_size=self.page_size,
            modelled_bytes=(self.size + self.page_size) * MODELLED_BYTES_PER_TOKEN,
            allocated_bytes=buffers.nbytes if buffers else 0,
            free_ranges=free_ranges(free_edges(self.state), any_fits=True),
            counters=self._tally.snapshot(),
            extra={"available_size_tokens": self.available_size()},
        )

    def geometry(self) -> Geometry:
        """Copies of state, generation and owner, one cell per unit."""
        return Geometry(
            state=self.state.copy(),
            generation=self.generation.copy(),
            owner=self.owner.copy(),
            unit_per_cell=1,
        )

    def _tree_units(self) -> tuple[int, int]:
        tree = self._tree
        if tree is None:
            return 0, 0
        return tree.evictable_size() // self.page_size, tree.protected_size() // self.page_size

    def _take(self, count: int) -> Ids | None:
        units = self._free.take(count)
        if units is None:
            self._tally.failed("no_pages" if self.page_size > 1 else "no_tokens")
        return units

    def _tokens(self, units: Ids) -> Ids:
        if self.page_size == 1:
            return units
        return (units[:, None] * self.page_size + np.arange(self.page_size)).ravel()

    def _whole(self, token_ids: Ints) -> Ids:
        # Callers pass whole pages in order, so every page-size-th token names its unit.
        units: Ids = np.asarray(token_ids, np.int64)[:: self.page_size] // self.page_size
        return units

    def _units_of(self, token_ids: Ints) -> tuple[Ids, int]:
        raise NotImplementedError

    def _give_back(self, units: Ids) -> None:
        raise NotImplementedError
