"""Token-granular KV pool: page size 1.

Mirrors: sglang 0.5.23 mem_cache/allocator/token.py (TokenToKVPoolAllocator)
Diverges: strict checks refuse a double free and a foreign id; a free is O(ids), not O(pool)
Hands out: token ids 1 .. size, int64 on the CPU; first in first out, or staged and sorted.
"""

from typing import ClassVar

from pools.base import Checks
from pools.structures.kv_buffers import KvBuffers
from pools.structures.token_books import Ids
from pools.structures.token_pool import TokenPool


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
        """A pool of `size` tokens over `buffers` (or book-keeping alone); see `TokenBooks`.

        Raises:
            InvalidSize: no tokens, or buffers that are too small.
        """
        super().__init__(size, 1, buffers=buffers, need_sort=need_sort, checks=checks, name=name)

    @classmethod
    def tiny(cls, checks: Checks = "strict") -> "KvTokens":
        """64 tokens with real buffers."""
        return cls(64, buffers=KvBuffers(65), checks=checks)

    def _units_of(self, ids: Ids) -> Ids:
        return ids

    def _give_back(self, units: Ids) -> None:
        self._free.append(units)


POOL = KvTokens
