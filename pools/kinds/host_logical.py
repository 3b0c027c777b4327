"""Index-only host pool: page-aligned host slots, no bytes of its own.

Mirrors: sglang 0.5.23 mem_cache/memory_pool_host.py (LogicalHostPool)
Diverges: strict checks refuse a double free, a foreign id, a negative size; a merge copies what
    was released, not what is free
Hands out: host token ids 0 .. size - 1, int64 on the CPU, first in first out; released slots wait
    in `release_slots` and are merged only when a call runs short. They count as available.

Invariants:
    I1  available + held == size.
    I2  a slot is free or handed out, never both.
    I3  alignment is tested before capacity.
    I4  a call that raises or returns None changes nothing.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pools.base import Checks
from pools.errors import (
    HostAllocUnaligned,
    HostFreeUnaligned,
    HostSizeUnaligned,
    InvalidSize,
    PoolError,
)
from pools.structures.host_slot_pool import HostSlotPool

Ids = NDArray[np.int64]


class HostLogical(HostSlotPool):
    """Host slots in pages; cells of the geometry are pages."""

    KIND: ClassVar[str] = "host_logical"

    def __init__(
        self, size: int, page_size: int, *, checks: Checks = "strict", name: str = "host_logical"
    ) -> None:
        """A pool of `size` host tokens.

        Raises:
            InvalidSize: nothing to hand out.
            HostSizeUnaligned: size is no multiple of the page.
        """
        if page_size < 1 or size < 1:
            raise InvalidSize(f"{name}: size {size}, page_size {page_size}", size=size)
        if size % page_size:
            raise HostSizeUnaligned(size, page_size)
        super().__init__(size, page_size, checks=checks, name=name)

    @classmethod
    def tiny(cls, checks: Checks = "strict") -> "HostLogical":
        """16 pages of 4 host tokens."""
        return cls(64, 4, checks=checks)

    def _unaligned(self, need_size: int) -> PoolError:
        return HostAllocUnaligned(need_size, self.page_size)

    def _check_free(self, ids: Ids) -> None:
        # Alignment in both checks; a double free and a foreign id in strict alone.
        if len(ids) % self.page_size:
            raise HostFreeUnaligned(len(ids), self.page_size)
        if len(ids):
            self._book.check_free(ids)


POOL = HostLogical
