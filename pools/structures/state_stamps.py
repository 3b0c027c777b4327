"""Who wrote each state: kept beside the memory, and compared with it when a slot is given back."""

import numpy as np
from numpy.typing import NDArray

from pools.errors import MemoryCorrupted
from pools.structures.state_buffers import StateBuffers

Ids = NDArray[np.int64]


class StateStamps:
    """(owner, generation) per slot; without buffers, or without `memory_check`, it does nothing."""

    def __init__(self, size: int, buffers: StateBuffers | None) -> None:
        self._buffers = buffers
        self._checked = buffers is not None and buffers.memory_check
        self._size = size
        self._written = np.zeros((size + 1 if self._checked else 0, 2), np.int64)

    def write(self, slots: Ids, owner: int, generation: NDArray[np.uint32]) -> None:
        """Slots were handed out: their states begin at zero, with a stamp."""
        if self._buffers is None:
            return
        inside = slots[(slots >= 1) & (slots <= self._size)]
        self._buffers.clear(inside)
        if self._checked:
            self._written[inside, 0] = owner
            self._written[inside, 1] = generation[inside]
            self._buffers.stamp(inside, self._written[inside])

    def copy(self, source: int, target: int) -> None:
        """Copy a whole state; the target keeps its own stamp."""
        if self._buffers is None:
            return
        put = np.array([target])
        self._buffers.copy(np.array([source]), put)
        if self._checked:
            self._buffers.stamp(put, self._written[put])

    def check(self, slots: Ids) -> None:
        """Compare memory with what was written.

        Raises:
            MemoryCorrupted: the first slot that differs.
        """
        if self._buffers is None or not self._checked:
            return
        found = self._buffers.read_stamps(slots)
        wrong = (found != self._written[slots]).any(axis=1)
        if wrong.any():
            at = int(np.flatnonzero(wrong)[0])
            slot = int(slots[at])
            raise MemoryCorrupted(
                f"state slot {slot} holds (owner, generation) {tuple(found[at].tolist())}, "
                f"{tuple(self._written[slot].tolist())} was written: a wrong index reached it",
                slot=slot,
            )
