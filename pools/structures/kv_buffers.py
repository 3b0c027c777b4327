"""K and V memory of a token pool, and the stamps that find a wrong index as corruption.

The buffer's shape is separate from the modelled shape: 2 layers, 1 head of 8, bf16, that is 64
bytes a token, so that a pool of full size fits a laptop.
"""

import numpy as np
import torch
from numpy.typing import NDArray

Ints = NDArray[np.integer]


class KvBuffers:
    """Per layer, K and V of shape [slots, kv_heads, head_dim] on `device`.

    Mirrors: sglang 0.5.23 mem_cache/memory_pool.py (MHATokenToKVPool): one row per token id, page
    0 is padding. With `memory_check`, layer 0's K row is also an int32 view of shape [slots, 4]
    that holds (row, generation, position, 0) of the token's writer.
    """

    def __init__(
        self,
        slots: int,
        *,
        num_layers: int = 2,
        kv_heads: int = 1,
        head_dim: int = 8,
        device: str = "cpu",
        memory_check: bool = True,
    ) -> None:
        """Allocate lazily zeroed memory.

        Args:
            slots: token ids the buffer can be indexed with, 0 .. slots - 1.
        """
        shape = (slots, kv_heads, head_dim)
        make = {"dtype": torch.bfloat16, "device": device}
        self.k = [torch.zeros(shape, **make) for _ in range(num_layers)]  # type: ignore[call-overload]
        self.v = [torch.zeros(shape, **make) for _ in range(num_layers)]  # type: ignore[call-overload]
        self.slots, self.memory_check = slots, memory_check
        # bf16 rows of 8 are 16 bytes: room for four int32
        words = self.k[0].view(slots, kv_heads * head_dim).view(torch.int32)
        self._words = words
        self._host_words = words.numpy() if words.device.type == "cpu" else None

    @property
    def nbytes(self) -> int:
        """Bytes of all buffers."""
        return sum(t.numel() * t.element_size() for t in (*self.k, *self.v))

    def write(self, ids: Ints, row: Ints | int, generation: Ints | int, position: Ints) -> None:
        """Stamp tokens `ids`, shape (n,), with their writer; scalars stand for all."""
        words = np.empty((len(ids), 3), np.int32)
        words[:, 0] = row
        words[:, 1] = np.asarray(generation).astype(np.uint32).view(np.int32)
        words[:, 2] = position
        if self._host_words is not None:
            self._host_words[ids, :3] = words
        else:
            index = torch.from_numpy(np.asarray(ids, np.int64)).to(self._words.device)
            self._words[index, :3] = torch.from_numpy(words).to(self._words.device)

    def read(self, ids: Ints) -> NDArray[np.int32]:
        """(row, generation, position) of tokens `ids`, shape (n, 3), copied to the CPU."""
        if self._host_words is not None:
            found: NDArray[np.int32] = self._host_words[ids, :3]
            return found
        index = torch.from_numpy(np.asarray(ids, np.int64)).to(self._words.device)
        words: NDArray[np.int32] = self._words[index, :3].cpu().numpy()
        return words
