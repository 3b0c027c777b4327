"""A checksum per host page from its backup on: finds what overwrote it before it is read."""

import zlib

import numpy as np
from numpy.typing import NDArray

from pools.errors import ForeignIndex, MemoryCorrupted
from pools.structures.host_buffers import HostBuffers

Ids = NDArray[np.int64]


class PageSums:
    """CRC-32 over a page's bytes of all layers; the same in every layout."""

    def __init__(self, pages: int, buffers: HostBuffers) -> None:
        self._buffers = buffers
        self._sums = np.zeros(pages, np.uint32)
        self._known = np.zeros(pages, np.bool_)

    def note(self, pages: Ids) -> None:
        """Pages were backed up; shape (n,)."""
        self._sums[pages] = self._of(pages)
        self._known[pages] = True

    def check(self, pages: Ids) -> None:
        """Compare pages with their backups.

        Raises:
            ForeignIndex: a page that was never backed up.
            MemoryCorrupted: the first page that differs.
        """
        unknown = pages[~self._known[pages]]
        if len(unknown):
            text = f"host page {unknown[0]} was never backed up, there is nothing to load back"
            raise ForeignIndex(text, page=int(unknown[0]))
        wrong = pages[self._sums[pages] != self._of(pages)]
        if len(wrong):
            raise MemoryCorrupted(
                f"host page {wrong[0]} is not what was backed up; {len(wrong)} of {len(pages)} "
                "pages are not: something else wrote to it",
                page=int(wrong[0]),
                num_bad=len(wrong),
            )

    def forget(self, pages: Ids) -> None:
        """Pages were given back."""
        self._known[pages] = False

    def clear(self) -> None:
        """Nothing was backed up."""
        self._known[:] = False

    def _of(self, pages: Ids) -> NDArray[np.uint32]:
        whole = self._buffers.page_bytes(pages)
        return np.array([zlib.crc32(one) for one in whole], np.uint32)
