"""Host slots as upstream keeps them: a tensor of free slots and a list of what was released."""

import torch


class HostSlots:
    """Slots 0 .. size - 1, first in first out; releases are merged when a call would be short."""

    def __init__(self, size: int) -> None:
        self.free_slots = torch.arange(size, dtype=torch.int64)
        self.release_slots: list[torch.Tensor] = []

    def alloc(self, count: int) -> torch.Tensor | None:
        """A view of `count` slots, or None."""
        if count > len(self.free_slots) and self.release_slots:
            self.free_slots = torch.cat((self.free_slots, *self.release_slots))
            self.release_slots = []
        if count > len(self.free_slots):
            return None
        slots = self.free_slots[:count]
        self.free_slots = self.free_slots[count:]
        return slots

    def free(self, slots: torch.Tensor) -> None:
        """Set slots aside."""
        self.release_slots.append(slots)
