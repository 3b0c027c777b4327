"""Decode context parallelism: one request's KV over several ranks, and what the allocator sees.

    logical ids   | 0 1 2 3 | 4 5 6 7 | …        page_size × dcp_size tokens a page
    rank 0          0   2     4   6              row = id // dcp_size
    rank 1            1   3     5   7            rank = id % dcp_size

Mirrors: sglang 0.5.23 mem_cache/kv_cache_configurator.py (the allocator's size and page, each times
    dcp_size) and mem_cache/allocation.py (_alloc_page_size reads the allocator's page)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pools.errors import ForeignIndex, InvalidSize

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DcpShape:
    """Sizes of one rank, and of the allocator that all ranks share.

    Attributes:
        size: tokens of one rank's buffer.
        page_size: tokens per page as configured, the rows of a page on one rank.
        dcp_size: ranks.
    """

    size: int
    page_size: int
    dcp_size: int

    def __post_init__(self) -> None:
        """Refuse what no server could have.

        Raises:
            InvalidSize: a number below 1, or a size of no whole pages.
        """
        if min(self.size, self.page_size, self.dcp_size) < 1 or self.size % self.page_size:
            raise InvalidSize(
                f"decode context parallelism: size {self.size} must be a positive multiple of "
                f"page_size {self.page_size}, dcp_size {self.dcp_size} at least 1",
                size=self.size,
                page_size=self.page_size,
                dcp_size=self.dcp_size,
            )

    @property
    def allocator_size(self) -> int:
        """Tokens that the allocator hands out."""
        return self.size * self.dcp_size

    @property
    def allocator_page_size(self) -> int:
        """Tokens per page of the allocator; above 1 even where page_size is 1."""
        return self.page_size * self.dcp_size

    def rows(self, token_ids: Ids, rank: int) -> Ids:
        """Rows of a rank's buffer that hold those of the tokens which are its own.

        Raises:
            ForeignIndex: there is no such rank.
        """
        if not 0 <= rank < self.dcp_size:
            raise ForeignIndex(f"rank {rank} is not in 0..{self.dcp_size - 1}", rank=rank)
        ids = np.asarray(token_ids, np.int64)
        own: Ids = ids[ids % self.dcp_size == rank] // self.dcp_size
        return own
