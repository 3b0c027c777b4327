"""Counters that every kind keeps the same way."""

from collections import Counter

from pools.errors import PoolError
from pools.snapshot import Counters


class Tally:
    """Allocations, frees, refusals by reason, and errors by code.

    As a context (`with tally:`) it counts the pool error that leaves the block.
    """

    def __init__(self) -> None:
        self.allocs = 0
        self.frees = 0
        self._failures: Counter[str] = Counter()
        self._raised: Counter[str] = Counter()

    def __enter__(self) -> None:
        """Begin to watch."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Count what was raised; it goes on."""
        if isinstance(error, PoolError):
            self.raised(error)

    def failed(self, reason: str) -> None:
        """A `None` was returned."""
        self._failures[reason] += 1

    def raised(self, error: PoolError) -> PoolError:
        """Count an error by its code; returns it, to be raised."""
        self._raised[error.code] += 1
        return error

    def snapshot(self) -> Counters:
        """A frozen copy."""
        return Counters(self.allocs, self.frees, dict(self._failures), dict(self._raised))
