"""Which adapter is in which slot, and who makes room for the next one."""

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass, field

#: the base model: requests without an adapter need a slot of zeros
BASE = None
Name = str | None


def in_order(names: Collection[Name]) -> list[Name]:
    """The base model first, then by name: the same on every rank."""
    return sorted(set(names), key=lambda name: (name is not None, name or ""))


@dataclass(slots=True)
class Residents:
    """Slots by adapter, and the order in which adapters go.

    Mirrors: sglang 0.5.23 lora/mem_pool.py (prepare_lora_batch) and lora/eviction_policy.py

    Attributes:
        size: slots.
        lru: the least recently used goes first; else the first that came.
        slot_of: residents.
        used: adapters by their last use, or by arrival; the base model is never in it.
    """

    size: int
    lru: bool
    slot_of: dict[Name, int] = field(default_factory=dict)
    used: OrderedDict[str, None] = field(default_factory=OrderedDict)

    def copy(self) -> "Residents":
        """Another, to plan with."""
        return Residents(self.size, self.lru, dict(self.slot_of), self.used.copy())

    def mark_used(self, name: Name) -> None:
        """An adapter is in a batch."""
        if name is None:
            return
        self.used.setdefault(name)
        if self.lru:
            self.used.move_to_end(name)

    def room_for(self, wanted: Collection[Name], pinned: Collection[str]) -> int | None:
        """The lowest empty slot, else that of a victim, which leaves; None when there is none.

        An adapter goes before the base model does.
        """
        taken = set(self.slot_of.values())
        for slot in range(self.size):
            if slot not in taken:
                return slot
        may_go = {name for name in self.slot_of if name not in wanted and name not in pinned}
        victims = [name for name in self.used if name in may_go]
        victim: Name = BASE
        if victims:
            victim = victims[0]
        elif BASE not in may_go:
            return None
        return self.leave(victim)

    def leave(self, name: Name) -> int:
        """A resident leaves; its slot."""
        if name is not None:
            self.used.pop(name, None)
        return self.slot_of.pop(name)
