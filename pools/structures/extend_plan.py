"""Where the tokens of a growing batch go: the rest of each last page first, then new pages."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pools.errors import InvalidSize

Ids = NDArray[np.int64]
Ints = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class ExtendPlan:
    """A batch of prompts that grow from prefix to seq tokens; arrays of shape (bs,), int64.

    Mirrors: sglang 0.5.23 mem_cache/allocator/paged.py (alloc_extend)

    Attributes:
        tails: tokens that fit into the last page of the prefix.
        rests: tokens beyond it.
        pages: new pages for them.
        enough: free pages with which upstream needs no exact count.
    """

    tails: Ids
    rests: Ids
    pages: Ids
    enough: int

    @classmethod
    def of(cls, prefix_lens: Ids, seq_lens: Ids, page_size: int) -> "ExtendPlan":
        """Count tokens and pages.

        Raises:
            InvalidSize: a negative prefix, or a length below it.
        """
        extend = seq_lens - prefix_lens
        if extend.size and (extend.min() < 0 or prefix_lens.min() < 0):
            at = int(np.flatnonzero((extend < 0) | (prefix_lens < 0))[0])
            raise InvalidSize(
                f"seq_lens must not be below prefix_lens, and neither below 0: request {at} of the "
                f"batch grows from {prefix_lens[at]} to {seq_lens[at]}",
                index=at,
                prefix_len=int(prefix_lens[at]),
                seq_len=int(seq_lens[at]),
            )
        tails = np.minimum(-prefix_lens % page_size, extend)
        rests = extend - tails
        enough = int(extend.sum()) // page_size + len(extend) + 1
        return cls(tails, rests, -(-rests // page_size), enough)

    def tokens(self, last_locs: Ids, pages: Ids, page_size: int) -> Ids:
        """Token ids, request after request.

        Args:
            last_locs: token id before each request's first new one, shape (bs,); read only where
                there is a tail.
            pages: the new pages in order, shape (sum(self.pages),).
            page_size: tokens per page.
        Returns:
            int64, shape (sum(tails + rests),).
        """
        # Runs of neighbouring ids: of each request its tail, then each of its pages.
        ends = np.cumsum(self.pages)
        tail_at = np.arange(len(ends)) + ends - self.pages
        is_page = np.ones(len(ends) + len(pages), np.bool_)
        is_page[tail_at] = False
        starts, lengths = np.empty((2, len(is_page)), np.int64)
        starts[tail_at], lengths[tail_at] = last_locs + 1, self.tails
        starts[is_page], lengths[is_page] = pages * page_size, page_size
        grows = self.pages > 0
        cut = (self.pages * page_size - self.rests)[grows]
        lengths[(tail_at + self.pages)[grows]] -= cut
        starts -= np.cumsum(lengths) - lengths
        ids = np.repeat(starts, lengths)
        ids += np.arange(len(ids))
        return ids
