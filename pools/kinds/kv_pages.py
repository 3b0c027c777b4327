"""Paged KV pool.

Mirrors: sglang 0.5.23 mem_cache/allocator/paged.py (PagedTokenToKVPoolAllocator)
Diverges: strict checks refuse an unaligned size (upstream floors it and hands out fewer slots
    unless a debug variable is set), a double free and a foreign id
Hands out: token ids page * page_size + offset, pages 1 .. size // page_size, int64 on the CPU;
    freed pages go to the front (last in first out), or are staged and sorted.
"""

from typing import ClassVar

from pools.base import Checks
from pools.errors import DoubleFree
from pools.structures.kv_buffers import KvBuffers
from pools.structures.page_runs import pages_of, repeated_id
from pools.structures.token_books import Ids
from pools.structures.token_pool import TokenPool


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
        """A pool of `size` tokens in pages of `page_size`; see `TokenBooks`.

        Raises:
            InvalidSize: not a positive number of whole pages, or buffers that are too small.
        """
        super().__init__(
            size, page_size, buffers=buffers, need_sort=need_sort, checks=checks, name=name
        )

    @classmethod
    def tiny(cls, checks: Checks = "strict") -> "KvPages":
        """32 pages of 4 tokens with real buffers."""
        return cls(128, 4, buffers=KvBuffers(132), checks=checks)

    def _units_of(self, ids: Ids) -> Ids:
        pages, each_once = pages_of(ids, self.page_size)
        if not each_once and self.checks == "strict":
            token = repeated_id(ids)
            if token is not None:
                raise DoubleFree(
                    f"token {token} is named twice in one free of {len(ids)} tokens",
                    token=token,
                    num_tokens=len(ids),
                )
        return pages

    def _give_back(self, units: Ids) -> None:
        self._free.prepend(units)


POOL = KvPages
