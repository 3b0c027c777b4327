"""Token-granular KV pool: page size 1.

Mirrors: sglang 0.5.23 mem_cache/allocator/token.py (TokenToKVPoolAllocator)
Diverges: strict checks refuse a double free and a foreign id; a free is O(ids), not O(pool)
Hands out: token ids 1 .. size, int64 on the CPU; first in first out, or staged and sorted.
"""

from typing import ClassVar

import numpy as np

from pools.base import Checks
from pools.errors import InvalidSize
from pools.structures.kv_buffers import KvBuffers
from pools.structures.token_pool import Ids, Ints, TokenPool


class KvTokens(TokenPool):
    """Tokens 1 .. size; see `TokenPool` for invariants I1 .. I5."""

    KIND: ClassVar[str] = "kv_tokens"
    UNIT: ClassVar[str] = "tokens"

    def __init__(
        self,
        size: int,
        *,
        buffers: KvBuffers | None = None,
        need_sort: bool = False,
        checks: Checks = "strict",
        name: str = "kv_tokens",
    ) -> None:
        """A pool of `size` tokens over `buffers` (or book-keeping alone)."""
        super().__init__(size, 1, buffers=buffers, need_sort=need_sort, checks=checks, name=name)

    @classmethod
    def tiny(cls, checks: Checks = "strict") -> "KvTokens":
        """64 tokens with real buffers."""
        return cls(64, buffers=KvBuffers(65), checks=checks)

    def alloc(self, need_tokens: int, owner: int) -> Ids | None:
        """Token ids, shape (need_tokens,); None when fewer are free.

        Raises:
            InvalidSize: strict, a negative size.
        """
        if need_tokens < 0 and self.checks == "strict":
            raise self._tally.raised(
                InvalidSize(f"need_size {need_tokens} is negative", need_size=need_tokens)
            )
        ids = self._take(max(need_tokens, 0))
        if ids is not None:
            self._book.give(ids, owner)
            self._tally.allocs += 1
        return ids

    def _units_of(self, token_ids: Ints) -> tuple[Ids, int]:
        units = np.asarray(token_ids, np.int64)
        return units, len(units)

    def _give_back(self, units: Ids) -> None:
        self._free.append(units)


POOL = KvTokens
