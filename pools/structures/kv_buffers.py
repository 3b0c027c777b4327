"""K and V memory of a token pool, and the stamps that find a wrong index as corruption.

The buffer's shape is separate from the modelled shape: 2 layers, 1 head of 8, bf16, that is 64
bytes a token, so that a pool of full size fits a laptop.
"""

import numpy as np
import torch
from numpy.typing import NDArray

from pools.device import lazy_zeros
from pools.errors import InvalidSize

Ints = NDArray[np.integer]
#: int64, shape (n, 2): writer (row, and generation << 32), position
Stamps = NDArray[np.int64]

_STAMP_BYTES = 16


class KvBuffers:
    """Per layer, K and V of shape [slots, kv_heads, head_dim], bf16, on `device`.

    Mirrors: sglang 0.5.23 mem_cache/memory_pool.py (MHATokenToKVPool): one row per token id, page
    0 is padding. With `memory_check`, the first 16 bytes of layer 0's K row are four int32: (row,
    generation, position, 0) of the token's writer.
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
        """Allocate zeroed memory; on the CPU its pages come into being when first touched.

        Args:
            slots: token ids the buffer can be indexed with, 0 .. slots - 1: the pool's size and
                one page of padding.
            num_layers, kv_heads, head_dim: shape of the buffers.
            device: where they live, "cpu" or "cuda".
            memory_check: stamp what is written and compare it on free.

        Raises:
            InvalidSize: no slots or layers, or a row that is no multiple of 16 bytes.
        """
        _check_shape(slots, num_layers, kv_heads * head_dim * 2)
        shape = (slots, kv_heads, head_dim)
        layers = range(num_layers)
        self.k = [lazy_zeros(shape, torch.bfloat16, device) for _ in layers]
        self.v = [lazy_zeros(shape, torch.bfloat16, device) for _ in layers]
        self.slots, self.memory_check = slots, memory_check
        self._device = self.k[0].device
        #: int64 [slots, 2] on the device, a view of layer 0's K
        self._stamps = self.k[0].view(slots, kv_heads * head_dim).view(torch.int64)[:, :2]
        # On the CPU a stamp moves as one 16-byte item, nine times faster than as columns. Only
        # copies are made of it, so that it looks like a complex number does not matter.
        self._items = None
        if self._device.type == "cpu":
            rows = self.k[0].view(slots, kv_heads * head_dim).view(torch.int64).numpy()
            self._items = rows.view(np.complex128)[:, 0]

    @property
    def device(self) -> str:
        """Where the buffers are."""
        return str(self._device)

    @property
    def nbytes(self) -> int:
        """Bytes of all buffers."""
        return sum(t.numel() * t.element_size() for t in (*self.k, *self.v))

    def write(self, ids: Ints, stamps: Stamps) -> None:
        """Write the stamps of tokens `ids`, shape (n,), C-contiguous."""
        if self._items is not None:
            self._items[ids] = stamps.view(np.complex128)[:, 0]
        else:
            self._stamps[self._index(ids)] = torch.from_numpy(stamps).to(self._device)

    def read(self, ids: Ints) -> Stamps:
        """Stamps of tokens `ids`, of any shape; int64 [*ids.shape, 2], copied to the CPU."""
        if self._items is not None:
            found: Stamps = self._items[ids].view(np.int64).reshape(*ids.shape, 2)
            return found
        read: Stamps = self._stamps[self._index(ids)].cpu().numpy()
        return read

    def read_pages(self, pages: Ints, page_size: int) -> Stamps:
        """Stamps of whole pages, shape (n,); int64 [n, page_size, 2], copied to the CPU."""
        if self._items is not None and self._items.flags.c_contiguous:
            whole = self.slots // page_size * page_size
            rows = self._items[:whole].reshape(-1, page_size)[pages]
            found: Stamps = rows.view(np.int64).reshape(len(pages), page_size, 2)
            return found
        return self.read(pages[:, None] * page_size + np.arange(page_size))

    def _index(self, ids: Ints) -> torch.Tensor:
        return torch.from_numpy(np.asarray(ids, np.int64)).to(self._device)


def _check_shape(slots: int, num_layers: int, row_bytes: int) -> None:
    if min(slots, num_layers, row_bytes) < 1 or row_bytes % _STAMP_BYTES:
        raise InvalidSize(
            f"KV buffers: {slots} slots, {num_layers} layers, a row of {row_bytes} bytes; a "
            f"row must be a multiple of {_STAMP_BYTES} bytes",
            slots=slots,
            num_layers=num_layers,
            row_bytes=row_bytes,
        )
