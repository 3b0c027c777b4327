"""Host KV pool: page-aligned host slots with the KV of evicted prefixes behind them.

Mirrors: sglang 0.5.23 mem_cache/pool_host/base.py (HostKVCache) and pool_host/mha.py
    (MHATokenToKVPoolHost)
Diverges: strict checks refuse a slot named twice in one free, a negative size, a copy of slots
    that nobody holds, and, when the pool is built, a layout that its copy engine cannot copy
    (upstream finds out at the first copy); every page has a checksum from its backup on
Hands out: host token ids 0 .. size - 1, int64 on the CPU, first in first out.

    device   [k₀ v₀ k₁ v₁ …]  ──backup──►  host page + checksum  ──load_back──►  device
                                 compared                          checksum, compared

Invariants:
    I1  available + held == size.
    I2  a slot is free or handed out, never both.
    I3  alignment is tested before capacity.
    I4  a call that raises or returns None changes nothing; a copy that differs has been made.
    I5  what is loaded back equals what was backed up, byte for byte, in every layout.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pools.base import Checks
from pools.errors import (
    DoubleFree,
    ForeignIndex,
    HostTransferSizeMismatch,
    InvalidSize,
    MemoryCorrupted,
    PoolError,
)
from pools.side_errors import (
    HostKvAllocUnaligned,
    HostKvDoubleAlloc,
    HostKvDoubleFree,
    HostTokenCapacityUnaligned,
    HostUnsupportedLayout,
)
from pools.structures.host_buffers import COPIES, HostBuffers
from pools.structures.host_slot_pool import HostSlotPool
from pools.structures.kv_buffers import KvBuffers
from pools.structures.page_runs import check_whole_pages
from pools.structures.page_sums import PageSums

Ids = NDArray[np.int64]


class HostKv(HostSlotPool):
    """Host slots over real memory in one of `pools.structures.host_buffers.LAYOUTS`."""

    KIND: ClassVar[str] = "host_kv"

    def __init__(
        self,
        size: int,
        page_size: int,
        device: KvBuffers,
        *,
        layout: str = "page_first",
        io_backend: str | None = None,
        memory_check: bool = True,
        checks: Checks = "strict",
        name: str = "host_kv",
    ) -> None:
        """A pool of `size` host tokens, in pages of `page_size`, for what `device` holds.

        Args:
            size, page_size: tokens.
            device: buffers that are copied from and to.
            layout: arrangement of the host buffer.
            io_backend: copy engine, "kernel" or "direct"; None: one that can copy the layout.
            memory_check: keep a checksum per page and compare every copy.

        Raises:
            InvalidSize: a page of no tokens, or an unknown copy engine.
            HostTokenCapacityUnaligned: size is not a positive multiple of the page.
            HostUnsupportedLayout: there is no such layout; strict, or the engine cannot copy it.
        """
        if page_size < 1:
            raise InvalidSize(f"{name}: page_size {page_size}", page_size=page_size)
        if size < 1 or size % page_size:
            raise HostTokenCapacityUnaligned(size, page_size)
        self.buffers = HostBuffers(size // page_size, page_size, device, layout)
        self.layout = layout
        self.io_backend = _engine_for(layout, io_backend)
        super().__init__(size, page_size, checks=checks, name=name)
        if checks == "strict":
            self._check_engine()
        self._device_slots = device.slots
        self._used = np.zeros(size, np.bool_)
        self._sums = PageSums(size // page_size, self.buffers) if memory_check else None
        self.backed_up_tokens_total = self.loaded_back_tokens_total = 0

    @classmethod
    def tiny(cls, checks: Checks = "strict") -> "HostKv":
        """16 pages of 4 host tokens beside a device of 32."""
        return cls(64, 4, KvBuffers(132), checks=checks)

    def backup(self, host_ids: Ids, device_ids: Ids) -> None:
        """Copy tokens from the device into host slots, all layers; both of shape (n,).

        Raises:
            HostTransferSizeMismatch: different numbers on the two sides.
            HostUnsupportedLayout: upstream, the engine cannot copy the layout.
            ForeignIndex: strict, host slots that are not held or no whole pages, a token id
                outside the device; nothing is copied.
            MemoryCorrupted: the copy differs from its source.
        """
        with self._tally:
            host, device = self._both(host_ids, device_ids)
            self.buffers.copy_in(host, device)
            if self._sums is not None:
                self._compare(host, device, "backup")
                self._sums.note(np.unique(host // self.page_size))
        self.backed_up_tokens_total += len(host)

    def load_back(self, host_ids: Ids, device_ids: Ids) -> None:
        """Copy tokens from host slots to the device, all layers; both of shape (n,).

        Raises:
            HostTransferSizeMismatch, HostUnsupportedLayout, ForeignIndex: as `backup`, and for
                pages that were never backed up.
            MemoryCorrupted: a page differs from its backup, and nothing is copied; or the copy
                differs from its source.
        """
        with self._tally:
            host, device = self._both(host_ids, device_ids)
            if self._sums is not None:
                self._sums.check(np.unique(host // self.page_size))
            self.buffers.copy_out(host, device)
            if self._sums is not None:
                self._compare(host, device, "load-back")
        self.loaded_back_tokens_total += len(host)

    def clear(self) -> None:
        """Everything free in the first order; what is in the memory is forgotten."""
        super().clear()
        self._used[:] = False
        if self._sums is not None:
            self._sums.clear()

    def _both(self, host_ids: Ids, device_ids: Ids) -> tuple[Ids, Ids]:
        host, device = np.asarray(host_ids, np.int64), np.asarray(device_ids, np.int64)
        if len(host) != len(device):
            raise HostTransferSizeMismatch(self.name, len(host), len(device))
        self._check_engine()
        if self.checks == "strict" and len(host):
            check_whole_pages(host, self.page_size)
            try:
                self._book.check_free(host)
            except DoubleFree as refused:
                text = f"{self.name}: a copy of host slots that are not held: {refused}"
                raise ForeignIndex(text, **refused.numbers) from None
            outside = (device < 0) | (device >= self._device_slots)
            if outside.any():
                token = int(device[outside][0])
                text = f"token {token} is not in 0..{self._device_slots - 1} of the device"
                raise ForeignIndex(text, token=token, slots=self._device_slots)
        return host, device

    def _check_engine(self) -> None:
        if self.layout not in COPIES[self.io_backend]:
            raise HostUnsupportedLayout(self.layout)

    def _compare(self, host: Ids, device: Ids, copy: str) -> None:
        same = self.buffers.equal(host, device)
        if not same.all():
            at = int(np.flatnonzero(~same)[0])
            raise MemoryCorrupted(
                f"{self.name}: {copy} of host slot {host[at]} and token {device[at]} differs from "
                f"its source; {int((~same).sum())} of {len(host)} tokens do",
                slot=int(host[at]),
                token=int(device[at]),
                num_bad=int((~same).sum()),
            )

    def _unaligned(self, need_size: int) -> PoolError:
        return HostKvAllocUnaligned(need_size, self.page_size)

    def _check_given(self, ids: Ids) -> None:
        used = ids[self._used[ids]]
        if len(used):
            raise self._tally.raised(HostKvDoubleAlloc(used.tolist(), len(ids)))
        self._used[ids] = True

    def _check_free(self, ids: Ids) -> None:
        if not len(ids):
            return
        if self.checks == "strict":
            try:
                self._book.check_free(ids)
            except DoubleFree:
                # One text for both checks where upstream has one.
                if self._used[ids].all():
                    raise
        free = ids[~self._used[ids]]
        if len(free):
            raise HostKvDoubleFree(free.tolist(), len(ids))
        self._used[ids] = False
        if self._sums is not None:
            self._sums.forget(np.unique(ids // self.page_size))

    def _nbytes(self) -> int:
        return self.buffers.nbytes

    def _extra(self) -> dict[str, int | float]:
        return {
            "backed_up_tokens_total": self.backed_up_tokens_total,
            "loaded_back_tokens_total": self.loaded_back_tokens_total,
        }


def _engine_for(layout: str, io_backend: str | None) -> str:
    engine = io_backend or ("direct" if layout == "page_first_direct" else "kernel")
    if engine not in COPIES:
        raise InvalidSize(f"Unsupported IO backend: {engine}; use {' or '.join(COPIES)}")
    return engine


POOL = HostKv
