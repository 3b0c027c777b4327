"""Where the tokens of several decode steps go: on in each last page, then new pages."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class DecodePlan:
    """A batch that grows by `steps` tokens each; arrays of shape (steps, bs).

    Attributes:
        positions: of the token that each step adds, int64.
        crosses: where it is the first of a page, bool.
    """

    positions: Ids
    crosses: NDArray[np.bool_]

    @classmethod
    def of(cls, lengths: Ids, steps: int, page_size: int) -> "DecodePlan":
        """Plan for requests of `lengths` tokens, shape (bs,)."""
        positions = lengths + np.arange(steps)[:, None]
        return cls(positions, positions % page_size == 0)

    def owners(self, owners: NDArray[np.integer]) -> NDArray[np.integer]:
        """Owner of each new page, in the order in which steps take them; shape (pages,)."""
        return np.broadcast_to(owners, self.crosses.shape)[self.crosses]

    def tokens(self, last_locs: Ids, pages: Ids, page_size: int) -> Ids:
        """Token ids, int64, shape (steps, bs).

        Args:
            last_locs: token id before the first step, shape (bs,).
            pages: new pages in the order in which steps take them.
            page_size: tokens per page.
        """
        table = np.broadcast_to(last_locs // page_size, self.crosses.shape).copy()
        table[self.crosses] = pages
        # Each step stays in the page of the last crossing at or before it, else in the old one.
        steps = np.arange(len(table))[:, None]
        since = np.maximum.accumulate(np.where(self.crosses, steps, 0), axis=0)
        ids: Ids = np.take_along_axis(table, since, axis=0) * page_size
        ids += self.positions % page_size
        return ids
