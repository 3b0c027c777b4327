"""Counters that every kind keeps the same way."""

from collections import Counter

from pools.errors import PoolError
from pools.snapshot import Counters


class Tally:
    """Allocations, frees, refusals by reason, and errors by code."""

    def __init__(self) -> None:
        self.allocs = 0
        self.frees = 0
        self._failures: Counter[str] = Counter()
        self._raised: Counter[str] = Counter()

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
