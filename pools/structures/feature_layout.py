"""Where control words and data lie in the feature pool's buffer.

buffer   [ slot 0: ready ack₀ ack₁ … | slot 1: … | … | padding ][ data: leases and holes ]
         0                                                       data_start      memory_size
"""

from dataclasses import dataclass

import torch

from pools.device import CONTROL_WORD_BYTES, Device, lazy_zeros
from pools.errors import InvalidSize, MmByteTensorInvalid, MmPoolTooSmall

DATA_ALIGNMENT = 256


def align_up(nbytes: int) -> int:
    """`nbytes` rounded up to a multiple of 256."""
    return -(-nbytes // DATA_ALIGNMENT) * DATA_ALIGNMENT


@dataclass(frozen=True, slots=True)
class FeatureLayout:
    """Sizes of one feature pool, checked when made.

    Mirrors: sglang 0.5.23 multimodal/transport/memory_pool.py
    (StreamOrderedMmFeaturePool.__init__), its arithmetic and the order of its checks.
    """

    memory_size: int
    consumer_count: int
    num_slots: int

    def __post_init__(self) -> None:
        for field, upstream in (
            ("memory_size", "memory_size"),
            ("consumer_count", "consumer_count"),
            ("num_slots", "max_inflight_slices"),
        ):
            value = getattr(self, field)
            if value <= 0:
                raise InvalidSize(f"{upstream} must be positive", **{field: value})

    @property
    def words_per_slot(self) -> int:
        """One ready word and one acknowledgement per consumer."""
        return 1 + self.consumer_count

    @property
    def data_start(self) -> int:
        """First byte behind the control words, aligned."""
        return align_up(self.num_slots * self.words_per_slot * CONTROL_WORD_BYTES)

    @property
    def capacity(self) -> int:
        """Bytes that leases can hold."""
        return self.memory_size - self.data_start

    def memory(
        self, transport_name: str, device: Device, given: torch.Tensor | None
    ) -> torch.Tensor:
        """The buffer, uint8 (≥ memory_size,): `given` if it suits, else new and zeroed.

        Raises:
            MmByteTensorInvalid: `given` is of another device, type, layout, or too short.
            MmPoolTooSmall: nothing is left behind the control words.
        """
        if given is not None and not (
            given.device == device.torch_device
            and given.dtype == torch.uint8
            and given.is_contiguous()
            and given.numel() >= self.memory_size
        ):
            raise MmByteTensorInvalid(
                device.name, memory_size=self.memory_size, found_bytes=given.nbytes
            )
        if self.capacity <= 0:
            raise MmPoolTooSmall(transport_name, self.memory_size, self.data_start)
        if given is not None:
            return given
        return lazy_zeros((self.memory_size,), torch.uint8, device.torch_device)
