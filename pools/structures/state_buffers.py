"""The memory of state slots: convolution windows and recurrent states, one of each per layer."""

import numpy as np
import torch
from numpy.typing import NDArray

from pools.errors import InvalidSize

Ids = NDArray[np.int64]
_STAMP_BYTES = 16


class StateBuffers:
    """conv [layers, slots, dim, window] bf16 and temporal [layers, slots, heads, dim, state] f32.

    Mirrors: sglang 0.5.23 mem_cache/memory_pool.py (MambaPool.State). Slot 0 is padding, the
    target of writes for padded tokens. With `memory_check`, the first 16 bytes of layer 0's
    temporal state are two int64: (owner, generation) of the slot's holder.
    """

    def __init__(
        self,
        slots: int,
        *,
        num_layers: int = 2,
        conv_shape: tuple[int, int] = (8, 3),
        temporal_shape: tuple[int, int, int] = (1, 8, 8),
        device: str = "cpu",
        memory_check: bool = True,
    ) -> None:
        """Allocate zeroed memory.

        Args:
            slots: slot ids the buffers can be indexed with, 0 .. slots - 1.
            num_layers: linear-attention layers.
            conv_shape: (dim, kernel - 1).
            temporal_shape: (heads, head_dim, state).
            device: where they live.
            memory_check: stamp what is handed out and compare it on free.

        Raises:
            InvalidSize: nothing to allocate, or a state below 16 bytes.
        """
        _check_shape(slots, num_layers, conv_shape, temporal_shape)
        self.slots, self.memory_check = slots, memory_check
        self.conv = torch.zeros(
            (num_layers, slots, *conv_shape), dtype=torch.bfloat16, device=device
        )
        self.temporal = torch.zeros(
            (num_layers, slots, *temporal_shape), dtype=torch.float32, device=device
        )
        #: int64 [slots, 2], a view of layer 0's temporal states
        self._stamps = self.temporal[0].reshape(slots, -1).view(torch.int64)[:, :2]

    @property
    def device(self) -> str:
        """Where the buffers are."""
        return str(self.temporal.device)

    @property
    def nbytes(self) -> int:
        """Bytes of both."""
        return self.conv.nbytes + self.temporal.nbytes

    @property
    def bytes_per_slot(self) -> int:
        """Bytes of one slot over all layers."""
        return self.nbytes // self.slots

    def clear(self, ids: Ids) -> None:
        """Zero the states of `ids`, shape (n,)."""
        index = self._index(ids)
        self.conv[:, index] = 0
        self.temporal[:, index] = 0

    def copy(self, source: Ids, target: Ids) -> None:
        """Copy whole states, slot by slot; shapes (n,)."""
        take, put = self._index(source), self._index(target)
        self.conv[:, put] = self.conv[:, take]
        self.temporal[:, put] = self.temporal[:, take]

    def stamp(self, ids: Ids, stamps: NDArray[np.int64]) -> None:
        """Write (owner, generation) of `ids`, shape (n,); stamps int64 (n, 2)."""
        self._stamps[self._index(ids)] = torch.from_numpy(stamps).to(self._stamps.device)

    def read_stamps(self, ids: Ids) -> NDArray[np.int64]:
        """(owner, generation) as the memory holds them, int64 (n, 2) on the CPU."""
        found: NDArray[np.int64] = self._stamps[self._index(ids)].cpu().numpy()
        return found

    def _index(self, ids: Ids) -> torch.Tensor:
        return torch.from_numpy(np.asarray(ids, np.int64)).to(self.temporal.device)


def _check_shape(
    slots: int, num_layers: int, conv_shape: tuple[int, int], temporal_shape: tuple[int, int, int]
) -> None:
    state_bytes = 4 * int(np.prod(temporal_shape))
    if min(slots, num_layers, *conv_shape, *temporal_shape) < 1 or state_bytes % _STAMP_BYTES:
        raise InvalidSize(
            f"state buffers: {slots} slots, {num_layers} layers, conv {conv_shape}, temporal "
            f"{temporal_shape}; a temporal state must be a multiple of {_STAMP_BYTES} bytes",
            slots=slots,
            num_layers=num_layers,
            state_bytes=state_bytes,
        )
