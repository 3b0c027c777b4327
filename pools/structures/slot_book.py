"""Which host slots are handed out, slot by slot and page by page."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from pools.errors import DoubleFree, ForeignIndex, PoolError
from pools.snapshot import AVAILABLE, HELD
from pools.structures.audit import compare

Ids = NDArray[np.int64]


class SlotBook:
    """Slots 0 .. size - 1 in pages; a page is held while any of its slots is.

    Attributes:
        state: uint8 (size // page_size,), codes of pools.snapshot.
        held: slots given and not given back, a count of its own.
    """

    def __init__(self, size: int, page_size: int) -> None:
        """All slots free."""
        self.size, self._page = size, page_size
        self.state = np.full(size // page_size, AVAILABLE, np.uint8)
        self.held = 0
        self._free = np.ones(size, np.bool_)
        self._held_in_page = np.zeros(size // page_size, np.int32)
        self._rank = np.zeros(size, np.int32)
        self._offsets = np.arange(page_size)

    def give(self, ids: Ids) -> None:
        """Free slots are handed out."""
        self._set(ids, free=False)

    def check_free(self, ids: Ids) -> None:
        """Refuse slots that cannot be given back.

        Raises:
            ForeignIndex: outside the pool.
            DoubleFree: free already, or named twice.
        """
        outside = (ids < 0) | (ids >= self.size)
        if outside.any():
            raise _refusal(ForeignIndex, ids, outside, f"is not in 0..{self.size - 1}")
        free = self._free[ids]
        if free.any():
            raise _refusal(DoubleFree, ids, free, "is free already")
        # Every slot remembers the last place that named it: O(ids), where a sort is not.
        place = np.arange(len(ids), dtype=np.int32)
        self._rank[ids] = place
        again = self._rank[ids] != place
        if again.any():
            raise _refusal(DoubleFree, ids, again, "is named twice in one free")

    def take_back(self, ids: Ids) -> None:
        """Slots, as `check_free` passes them, are free."""
        self._set(ids, free=True)

    def clear(self) -> None:
        """All slots free."""
        self.held = 0
        self._free[:] = True
        self._held_in_page[:] = 0
        self.state[:] = AVAILABLE

    def audit(self, pool: str, free: Ids) -> None:
        """Compare the free list with bits, pages and the count of held slots. O(size).

        Raises:
            IntegrityError: naming what differs.
        """
        inside = free[(free >= 0) & (free < self.size)]
        listed = np.zeros(self.size, np.bool_)
        listed[inside] = True
        held_in_page = (~self._free).reshape(-1, self._page).sum(axis=1)
        books = {
            "ids on the free list that are no slots": (len(free) - len(inside), 0),
            "slots on the free list more than once": (len(inside) - int(listed.sum()), 0),
            "slots free by bit but not by list": (int((self._free & ~listed).sum()), 0),
            "slots free by list but not by bit": (int((listed & ~self._free).sum()), 0),
            "held slots": (self.held, int(held_in_page.sum())),
            "pages whose count differs": (int((self._held_in_page != held_in_page).sum()), 0),
            "pages whose state differs": (
                int(((self.state == HELD) != (held_in_page > 0)).sum()),
                0,
            ),
        }
        compare(pool, books)

    def _set(self, ids: Ids, *, free: bool) -> None:
        self.held += -len(ids) if free else len(ids)
        pages = self._whole_pages(ids)
        if pages is not None:
            self._free.reshape(-1, self._page)[pages] = free
            self._held_in_page[pages] = 0 if free else self._page
            self.state[pages] = AVAILABLE if free else HELD
            return
        self._free[ids] = free
        pages = ids // self._page
        # A scalar of the array's own type is what keeps numpy on its fast path.
        np.add.at(self._held_in_page, pages, np.int32(-1 if free else 1))
        self.state[pages] = np.where(self._held_in_page[pages] > 0, HELD, AVAILABLE)

    def _whole_pages(self, ids: Ids) -> Ids | None:
        """The pages of ids that come page after page, the usual case; None for any other."""
        if len(ids) % self._page:
            return None
        table = ids.reshape(-1, self._page)
        heads = table[:, 0]
        if (heads % self._page).any() or (table != heads[:, None] + self._offsets).any():
            return None
        return heads // self._page


class SlotDamageBook(SlotBook):
    """A `SlotBook` that accepts what SGLang accepts, and counts every holder of every id."""

    def __init__(self, size: int, page_size: int) -> None:
        """All slots free."""
        super().__init__(size, page_size)
        #: holders beside the first: of slots handed out twice, and of ids that are no slots
        self._more: Counter[int] = Counter()

    def give(self, ids: Ids) -> None:
        """Ids are handed out, whoever has them already."""
        for slot in ids.tolist():
            if self._is_slot(slot) and self._free[slot]:
                super().give(np.array([slot]))
            else:
                self._more[slot] += 1
                self.held += 1

    def check_free(self, ids: Ids) -> None:
        """Nothing is refused."""

    def take_back(self, ids: Ids) -> None:
        """One holder of each id, if it has any, is gone; the last one makes it free."""
        for slot in ids.tolist():
            if self._more[slot]:
                self._more[slot] -= 1
                self.held -= 1
            elif self._is_slot(slot) and not self._free[slot]:
                super().take_back(np.array([slot]))

    def clear(self) -> None:
        """All slots free."""
        super().clear()
        self._more.clear()

    def _is_slot(self, slot: int) -> bool:
        return 0 <= slot < self.size


def _refusal(error: type[PoolError], ids: Ids, bad: NDArray[np.bool_], why: str) -> PoolError:
    slot, num_bad = int(ids[bad][0]), int(bad.sum())
    return error(
        f"slot {slot} {why}; {num_bad} of {len(ids)} given are refused",
        slot=slot,
        num_bad=num_bad,
        num_slots=len(ids),
    )
