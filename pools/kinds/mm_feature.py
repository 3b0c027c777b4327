"""The multimodal feature pool: byte ranges leased to consumers that acknowledge them in memory.

lease ──► copy ──► ready word ──► consumers read ──► ack words ──► recycle pass ──► free again
"""

import math
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from pools import errors
from pools.base import Checks
from pools.device import open_device
from pools.snapshot import Geometry, PoolSnapshot
from pools.structures.feature_books import GENERATION_LIMIT, FeatureBooks
from pools.structures.feature_layout import FeatureLayout
from pools.structures.feature_space import FitMode, open_space
from pools.structures.free_ranges import MergeMode
from pools.structures.leases import Lease

#: engine clocks are whole nanoseconds; as a float of seconds one may come out a hair early
_CLOCK_SLACK_S = 1e-9
_MAX_RANGES_SENT = 65_536


class MmFeature(FeatureBooks):
    """Byte ranges of one uint8 buffer, each with a slot, a generation and control words.

    Mirrors: sglang 0.5.23 multimodal/transport/memory_pool.py (StreamOrderedMmFeaturePool), with
    two differences under strict checks: a refused lease changes nothing, and a slot released at
    the generation limit is retired instead of being offered for ever.

    Args:
        memory_size: bytes of the buffer, control words included.
        consumer_count: ranks that must acknowledge each lease.
        transport_name: who owns the pool, as upstream names it in messages.
        device: cpu, cuda or cuda:N.
        num_slots: leases that can be out at once.
        generation_limit: leases of one slot before it is worn, at most 2^31 - 1.
        recycle_interval_s: least time between two recycle passes, s of the engine's clock.
        merge, fit: when released neighbours become one range, and which range is cut.
        checks: strict, or upstream to show what a raise loses there.
        byte_tensor: memory to use instead of allocating it, uint8 (≥ memory_size,) on `device`.

    Raises:
        InvalidSize: a count or limit out of range, or a choice that is not there.
        MmRecycleIntervalNotPositive: the interval is zero or less.
        MmByteTensorInvalid: `byte_tensor` does not suit.
        MmPoolTooSmall: nothing is left behind the control words.
        DeviceUnavailable: the device is not there, or cannot write control words.
    """

    KIND: ClassVar[str] = "mm_feature"

    def __init__(
        self,
        memory_size: int,
        consumer_count: int,
        *,
        transport_name: str = "CUDA IPC",
        device: str = "cpu",
        num_slots: int = 4096,
        generation_limit: int = GENERATION_LIMIT,
        recycle_interval_s: float = 0.05,
        merge: MergeMode = "deferred",
        fit: FitMode = "best",
        checks: Checks = "strict",
        byte_tensor: torch.Tensor | None = None,
        name: str = "mm_feature",
    ) -> None:
        self.layout = layout = FeatureLayout(memory_size, consumer_count, num_slots)
        if not recycle_interval_s > 0:
            raise errors.MmRecycleIntervalNotPositive(recycle_interval_s)
        self.device = open_device(device)
        self.byte_tensor = layout.memory(transport_name, self.device, byte_tensor)
        self._words = self.device.control_words(
            self.byte_tensor, layout.num_slots, layout.words_per_slot
        )
        super().__init__(
            open_space(layout.data_start, memory_size, fit, merge),
            num_slots=num_slots,
            limit=generation_limit,
            checks=checks,
            transport_name=transport_name,
        )
        self.name, self.passes_total = name, 0
        self.consumer_count, self.recycle_interval_s = consumer_count, recycle_interval_s
        self._last_pass_s = -math.inf

    @classmethod
    def tiny(cls, checks: Checks = "strict") -> "MmFeature":
        """8 slots, 2 consumers, 16 KiB of data, on the CPU."""
        return cls(256 + 16 * 1024, 2, num_slots=8, checks=checks)

    def copy_tensor(
        self, tensor: torch.Tensor, now_s: float, owner: int = -1
    ) -> tuple[Lease, torch.Tensor] | tuple[None, None]:
        """Lease, copy the tensor's bytes and publish, in stream order.

        Returns:
            The lease and a uint8 view of shape (nbytes,) of the pool's memory; (None, None) when
            `lease` gives None.

        Raises:
            InvalidSize: the tensor is empty.
            MmGenerationExhausted: as `lease`.
        """
        source = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
        if source.numel() == 0:
            text = f"{self.transport_name} cannot transport an empty tensor"
            self._refuse(errors.InvalidSize(text, nbytes=0))
        lease = self.lease(source.numel(), now_s, owner)
        if lease is None:
            return None, None
        view = self._view(lease)
        try:
            self.device.copy(view, source)
            self.publish(lease)
        except Exception:
            self._close(lease)
            self.space.merge()
            raise
        return lease, view

    def publish(self, lease: Lease) -> None:
        """Write the ready word: consumers may read from here on. Twice is harmless."""
        self._check_current(lease)
        self._words.write_word(lease.slot, 0, lease.generation)

    def acknowledge(self, lease: Lease, consumer: int) -> None:
        """Write the ack word of `consumer`, which has read the bytes.

        Raises:
            ForeignIndex: there is no such consumer.
            MmLeaseInactive: strict checks, and the lease does not hold its slot any more.
        """
        if not 0 <= consumer < self.consumer_count:
            text = f"{self.name} has consumers 0 .. {self.consumer_count - 1}, got {consumer}"
            self._refuse(errors.ForeignIndex(text, consumer=consumer))
        self._check_current(lease)
        self._words.write_word(lease.slot, 1 + consumer, lease.generation)

    def cancel(self, lease: Lease) -> None:
        """Acknowledge for everybody a lease that was not sent; the next pass frees it.

        Raises:
            MmLeaseCancelInactive: the lease does not hold its slot any more.
        """
        self._check_active(lease, errors.MmLeaseCancelInactive)
        for column in range(self.layout.words_per_slot):
            self._words.write_word(lease.slot, column, lease.generation)

    def recycle(self, now_s: float) -> list[Lease]:
        """Free what every consumer has acknowledged, then merge; once per interval.

        Returns:
            The leases that were freed; empty between two passes.
        """
        since_s = now_s - self._last_pass_s
        if 0 <= since_s < self.recycle_interval_s - _CLOCK_SLACK_S:
            return []
        self._last_pass_s = now_s
        self.passes_total += 1
        if not self.book.occupied and (self.checks == "upstream" or not self.space.seams):
            return []
        slots = self.book.leased_slots()
        done = slots[~self._words_missing(slots).any(axis=1)]
        self.space.give_back_and_merge(self.book.start[done], self.book.end[done])
        self.tally.frees += len(done)
        return self.book.close_many(done)

    def read(self, lease: Lease) -> torch.Tensor:
        """Wait for the ready word and copy the bytes out, uint8 (nbytes,) on the pool's device.

        Raises:
            MmLeaseInactive: strict checks, and the bytes may be another lease's by now.
            EndlessWait: on the CPU, when the lease has not been published.
        """
        self._check_current(lease)
        self._words.wait_word(lease.slot, 0, lease.generation)
        return self._view(lease).clone()

    def snapshot(self, now_s: float, source: str = "synthetic") -> PoolSnapshot:
        """Everything but the cells, in bytes; one gather of control words."""
        book = self.book
        acks_missing = self._words_missing(book.leased_slots())[:, 1:]
        return PoolSnapshot(
            name=self.name,
            kind=self.KIND,
            unit="bytes",
            device=self.device.name,
            source=source,
            capacity=self.capacity,
            available=self.space.total,
            evictable=0,
            protected=0,
            held=book.held_bytes,
            leaked=self.residual(),
            modelled_bytes=self.layout.memory_size,
            allocated_bytes=self.byte_tensor.nbytes,
            free_ranges=self.space.describe(),
            generations=self.wear.describe(
                self.generation, book.limit, now_s, self.recycle_interval_s
            ),
            leases=book.describe(acks_missing, now_s),
            counters=self.tally.snapshot(),
            extra={**self.extra(), "recycle_passes_total": self.passes_total},
        )

    def geometry(self) -> Geometry:
        """Slots as cells; ranges and leases as byte addresses within 0 .. capacity."""
        book, begin = self.book, self.layout.data_start
        slots = book.leased_slots()
        edges = self.space.edges() - begin
        return Geometry(
            state=self.state.copy(),
            generation=self.generation.copy(),
            owner=self.owner.copy(),
            unit_per_cell=0,
            free_edges=edges[: 2 * _MAX_RANGES_SENT].astype(np.uint64),
            free_ranges_total=len(self.space),
            leases=book.rows(slots, self._words_missing(slots)[:, 1:], begin),
        )

    def _set_generations(self, slots: NDArray[np.int64], value: int) -> None:
        lowered = slots[self.generation[slots] > value]
        super()._set_generations(slots, value)
        # Words of a lease long gone must not equal a generation that comes again.
        for slot in lowered.tolist():
            for column in range(self.layout.words_per_slot):
                self._words.write_word(slot, column, 0)

    def _words_missing(self, slots: NDArray[np.int64]) -> NDArray[np.bool_]:
        # Generations have 31 bits, so the unsigned book and the signed words compare as they are.
        expected = self.generation[slots].view(np.int32)[:, None]
        missing: NDArray[np.bool_] = self._words.read_words(slots) != expected
        return missing

    def _check_current(self, lease: Lease) -> None:
        # Upstream's producers and consumers write their words without asking the pool.
        if self.checks == "strict":
            self._check_active(lease)

    def _view(self, lease: Lease) -> torch.Tensor:
        return self.byte_tensor[lease.start : lease.start + lease.nbytes]


POOL = MmFeature
