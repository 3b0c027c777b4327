"""Paged KV pool.

Mirrors: sglang 0.5.23 mem_cache/allocator/paged.py (PagedTokenToKVPoolAllocator)
Diverges: strict checks refuse an unaligned size (upstream floors it and hands out fewer slots
    unless a debug variable is set), a double free and a foreign id
Hands out: token ids page * page_size + offset, pages 1 .. size // page_size, int64 on the CPU;
    freed pages go to the front (last in first out), or are staged and sorted.
"""

from typing import ClassVar

import numpy as np

from pools.base import Checks
from pools.errors import InvalidSize
from pools.structures.kv_buffers import KvBuffers
from pools.structures.token_pool import Ids, Ints, TokenPool


class KvPages(TokenPool):
    """Pages 1 .. size // page_size; see `TokenPool` for invariants I1 .. I5."""

    KIND: ClassVar[str] = "kv_pages"
    UNIT: ClassVar[str] = "pages"

    def __init__(
        self,
        size: int,
        page_size: int,
        *,
        buffers: KvBuffers | None = None,
        need_sort: bool = False,
        checks: Checks = "strict",
        name: str = "kv_pages",
    ) -> None:
        """A pool of `size` tokens in pages of `page_size`."""
        super().__init__(
            size, page_size, buffers=buffers, need_sort=need_sort, checks=checks, name=name
        )

    @classmethod
    def tiny(cls, checks: Checks = "strict") -> "KvPages":
        """32 pages of 4 tokens with real buffers."""
        return cls(128, 4, buffers=KvBuffers(132), checks=checks)

    def alloc(self, need_tokens: int, owner: int) -> Ids | None:
        """Token ids of whole pages, shape (need_tokens,); None when too few pages are free.

        Raises:
            InvalidSize: strict, a size that is negative or no multiple of the page.
        """
        wrong = need_tokens < 0 or need_tokens % self.page_size
        if wrong and self.checks == "strict":
            raise self._tally.raised(
                InvalidSize(
                    f"need_size {need_tokens} is no multiple of page_size {self.page_size}",
                    need_size=need_tokens,
                    page_size=self.page_size,
                )
            )
        units = self._take(max(need_tokens, 0) // self.page_size)
        if units is None:
            return None
        self._book.give(units, owner)
        self._tally.allocs += 1
        return self._tokens(units)

    def _units_of(self, token_ids: Ints) -> tuple[Ids, int]:
        units = np.unique(np.asarray(token_ids, np.int64) // self.page_size)
        return units, len(units)

    def _give_back(self, units: Ids) -> None:
        self._free.prepend(units)


POOL = KvPages
