"""States that a prefix cache keeps of requests that ended, least recently used first.

keep ──► unlocked (evictable) ◄──► locked (protected: a request is copying from it)
              │ evict
              ▼
             free
"""

from collections import Counter, OrderedDict
from collections.abc import Sequence

from pools.errors import ForeignIndex


class StateCache:
    """Slots by their last use; locked ones are counted apart and are no victims."""

    def __init__(self) -> None:
        self._unlocked: OrderedDict[int, None] = OrderedDict()
        self._locked: Counter[int] = Counter()

    @property
    def evictable(self) -> int:
        """Slots that may go."""
        return len(self._unlocked)

    @property
    def protected(self) -> int:
        """Slots that someone uses."""
        return len(self._locked)

    def add(self, slots: Sequence[int]) -> None:
        """New ones, the last is the most recent."""
        self._unlocked.update(dict.fromkeys(slots))

    def holds(self, slot: int) -> bool:
        """Whether a slot is cached."""
        return slot in self._unlocked or slot in self._locked

    def lock(self, slot: int) -> bool:
        """One more user; True when it is the first.

        Raises:
            ForeignIndex: the slot is not cached.
        """
        if not self.holds(slot):
            raise ForeignIndex(f"state slot {slot} is not cached, nothing to lock", slot=slot)
        self._unlocked.pop(slot, None)
        self._locked[slot] += 1
        return self._locked[slot] == 1

    def unlock(self, slot: int) -> bool:
        """One user less, which counts as a use; True when it was the last.

        Raises:
            ForeignIndex: the slot is not locked.
        """
        if slot not in self._locked:
            raise ForeignIndex(f"state slot {slot} is not locked", slot=slot)
        self._locked[slot] -= 1
        if self._locked[slot]:
            return False
        del self._locked[slot]
        self._unlocked[slot] = None
        return True

    def oldest(self, count: int) -> list[int]:
        """Up to `count` victims in the order in which they go; they stay."""
        return [slot for slot, _ in zip(self._unlocked, range(count), strict=False)]

    def drop(self, slots: Sequence[int]) -> None:
        """Unlocked slots are gone."""
        for slot in slots:
            del self._unlocked[slot]

    def clear(self) -> None:
        """Nothing cached."""
        self._unlocked.clear()
        self._locked.clear()
