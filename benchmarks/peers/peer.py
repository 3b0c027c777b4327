"""What a benchmark needs of a pool to measure against: two calls, bound once."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import torch


@dataclass(frozen=True, slots=True)
class Peer:
    """`alloc(amount)` gives something to index memory with; `free` takes that back.

    Attributes:
        merge: joins what was freed, where a pass of its own does that.
        more: the pool itself, for calls that not every pool has.
    """

    alloc: Callable[..., Any]
    free: Callable[..., Any]
    merge: Callable[[], object] = lambda: None
    more: Any = None


class Peers(Protocol):
    """A family of them, one per kind; sizes in rows, tokens or bytes."""

    NAME: str

    def rows(self, size: int) -> Peer:
        """Request rows."""
        ...

    def tokens(self, size: int, *, staged: bool) -> Peer:
        """Token ids."""
        ...

    def pages(self, size: int, page_size: int, *, staged: bool) -> Peer:
        """Token ids of whole pages."""
        ...

    def host(self, size: int, page_size: int) -> Peer:
        """Host slots."""
        ...

    def features(self, nbytes: int, num_slots: int) -> Peer:
        """Leases of byte ranges."""
        ...

    def leaves(self, keys: torch.Tensor) -> Callable[[int], object]:
        """`evict(tokens)` of a tree that holds a leaf per row of `keys`, shape (n, tokens)."""
        ...
