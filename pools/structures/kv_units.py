"""What a KV pool and a prefix tree know of each other."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


class TreeBook(Protocol):
    """The prefix tree's own sums, in tokens: the second book for units it has taken over."""

    def evictable_size(self) -> int:
        """Tokens in unlocked nodes."""
        ...

    def protected_size(self) -> int:
        """Tokens in locked nodes."""
        ...


class KvUnits(Protocol):
    """What the tree needs of the pool."""

    name: str
    page_size: int

    def alloc(self, need_tokens: int, owner: int) -> Ids | None:
        """Token ids or None."""
        ...

    def free_segment(self, token_ids: Ids) -> None:
        """Give whole units back, in this order."""
        ...

    def adopt(self, token_ids: Ids, protected: bool) -> None:
        """Take units over from their owners."""
        ...

    def mark_protected(self, token_ids: Ids) -> None:
        """Units are locked."""
        ...

    def mark_evictable(self, token_ids: Ids) -> None:
        """Units are unlocked."""
        ...

    def check(self, token_ids: Ids) -> None:
        """Compare memory with what was written."""
        ...

    def attach_tree(self, tree: TreeBook) -> None:
        """Account for units that the tree took over."""
        ...
