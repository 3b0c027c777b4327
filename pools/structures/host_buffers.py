"""Host memory for KV in the layouts that a server can choose, and copies to and from the device.

    layer_first         [2, layers, tokens, heads, dim]              one layer in one piece
    page_first          [2, tokens, layers, heads, dim]              one token in one piece
    page_first_direct   [2, pages, layers, page, heads, dim]         one page in one piece

Mirrors: sglang 0.5.23 mem_cache/pool_host/mha.py (init_kv_buffer, get_data_page, the transfers)
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from pools.side_errors import HostUnsupportedLayout
from pools.structures.kv_buffers import KvBuffers

Ids = NDArray[np.int64]
Shape = tuple[int, ...]

#: layout: buffer shape behind K and V, from pages, layers, tokens per page, and a row's shape
_SHAPES: dict[str, Callable[[int, int, int, Shape], Shape]] = {
    "layer_first": lambda pages, layers, page, row: (layers, pages * page, *row),
    "page_first": lambda pages, layers, page, row: (pages * page, layers, *row),
    "page_first_direct": lambda pages, layers, page, row: (pages, layers, page, *row),
}
LAYOUTS = tuple(_SHAPES)
#: copy engines and the layouts that each of them can copy
COPIES: dict[str, tuple[str, ...]] = {
    "kernel": ("layer_first", "page_first"),
    "direct": ("layer_first", "page_first_direct"),
}


class HostBuffers:
    """One buffer for K and V of all layers, of the device's dtype; pinned beside a GPU.

    Attributes:
        kv_buffer: in the layout's shape, K first.
    """

    def __init__(self, pages: int, page_size: int, device: KvBuffers, layout: str) -> None:
        """Zeroed memory for `pages` pages of what `device` holds.

        Raises:
            HostUnsupportedLayout: there is no such layout.
        """
        if layout not in _SHAPES:
            raise HostUnsupportedLayout(layout)
        sample = device.k[0]
        shape = _SHAPES[layout](pages, len(device.k), page_size, tuple(sample.shape[1:]))
        self.layout, self._page, self._pages = layout, page_size, pages
        self._device = device
        pinned = sample.device.type == "cuda"
        self.kv_buffer = torch.zeros((2, *shape), dtype=sample.dtype, pin_memory=pinned)

    @property
    def nbytes(self) -> int:
        """Bytes of the buffer."""
        return self.kv_buffer.nbytes

    def layer(self, part: int, layer: int) -> torch.Tensor:
        """K (0) or V (1) of one layer, a view [pages, page, heads, dim] whatever the layout."""
        whole = self.kv_buffer[part]
        if self.layout == "page_first_direct":
            return whole[:, layer]
        tokens = whole[layer] if self.layout == "layer_first" else whole[:, layer]
        return tokens.view(self._pages, self._page, *tokens.shape[1:])

    def copy_in(self, host_ids: Ids, device_ids: Ids) -> None:
        """Device to host, all layers; ids of shape (n,)."""
        at, index = self._place(host_ids), self._index(device_ids)
        for view, tensor in self._layers():
            view[at] = tensor[index].to(view.device)

    def copy_out(self, host_ids: Ids, device_ids: Ids) -> None:
        """Host to device, all layers; ids of shape (n,)."""
        at, index = self._place(host_ids), self._index(device_ids)
        for view, tensor in self._layers():
            tensor[index] = view[at].to(tensor.device)

    def equal(self, host_ids: Ids, device_ids: Ids) -> NDArray[np.bool_]:
        """Which tokens are the same on both sides, byte for byte; shape (n,)."""
        at, index = self._place(host_ids), self._index(device_ids)
        same = np.ones(len(host_ids), np.bool_)
        for view, tensor in self._layers():
            here = view[at].contiguous().view(torch.uint8).flatten(1)
            there = tensor[index].contiguous().view(torch.uint8).flatten(1).to(here.device)
            same &= (here == there).all(dim=1).numpy()
        return same

    def page_bytes(self, pages: Ids) -> NDArray[np.uint8]:
        """Bytes of whole pages, layer by layer and K before V: the same in every layout.

        Returns:
            uint8, shape (n, bytes of a page), a copy.
        """
        at = torch.from_numpy(pages)
        parts = [view[at].contiguous().view(torch.uint8).flatten(1) for view, _ in self._layers()]
        whole: NDArray[np.uint8] = torch.cat(parts, dim=1).numpy()
        return whole

    def _layers(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        device = (self._device.k, self._device.v)
        return [
            (self.layer(part, layer), device[part][layer])
            for layer in range(len(self._device.k))
            for part in (0, 1)
        ]

    def _place(self, host_ids: Ids) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.from_numpy(host_ids // self._page), torch.from_numpy(host_ids % self._page)

    def _index(self, device_ids: Ids) -> torch.Tensor:
        return torch.from_numpy(device_ids).to(self._device.k[0].device)
