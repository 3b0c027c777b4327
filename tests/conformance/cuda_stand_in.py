"""What the real feature pool finds in place of CUDA: host memory whose words take effect at once.

Within SGLang's module alone the name `torch` is replaced by one that sends "cuda:N" to the CPU, and
the two stream calls by plain stores and loads. The pool's own methods are the real ones; its
recycler thread ends at once, as the comparison runs each pass itself.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

from tests.conformance.upstream import classes

BASE = 0x7F00_0000_0000
_buffers: dict[int, torch.Tensor] = {}


class NoCuda:
    """`torch.cuda` without a device."""

    def synchronize(self, *args: Any) -> None:
        pass

    def set_device(self, *args: Any) -> None:
        pass

    def current_stream(self, *args: Any) -> None:
        return None

    @contextlib.contextmanager
    def device(self, *args: Any) -> Iterator[None]:
        yield


class TorchOnCpu:
    """`torch`, but every new tensor lies on the CPU."""

    cuda = NoCuda()

    def __getattr__(self, name: str) -> Any:
        return getattr(torch, name)

    @staticmethod
    def tensor(data: Any, *, dtype: torch.dtype, device: str) -> torch.Tensor:
        return torch.tensor(data, dtype=dtype)


class CudaLooking:
    """Host bytes that answer the constructor's questions as a tensor on `cuda:0` does."""

    is_cuda = True
    dtype = torch.uint8
    device = torch.device("cuda", 0)

    def __init__(self, nbytes: int) -> None:
        self.bytes = torch.zeros(nbytes, dtype=torch.uint8)

    def is_contiguous(self) -> bool:
        return True

    def numel(self) -> int:
        return self.bytes.numel()

    def __getitem__(self, index: Any) -> torch.Tensor:
        return self.bytes[index]


def feature_pool(memory_size: int, consumer_count: int, num_slots: int, **more: Any) -> Any:
    """A real `StreamOrderedMmFeaturePool` over host memory."""
    transport = classes().transport
    transport.torch = TorchOnCpu()
    transport.stream_write_value32 = stream_write
    transport.stream_wait_value32 = stream_wait
    pool_type = type("Unthreaded", (transport.StreamOrderedMmFeaturePool,), {"_recycle_loop": idle})
    memory = CudaLooking(max(memory_size, 0))
    _buffers.clear()
    _buffers[BASE] = memory.bytes
    settings = {"recycle_interval": 0.05, "transport_name": "CUDA IPC", **more}
    return pool_type(
        memory_size=memory_size,
        byte_tensor=memory,
        base_address=BASE,
        device_id=0,
        consumer_count=consumer_count,
        max_inflight_slices=num_slots,
        **settings,
    )


def idle(pool: Any) -> None:
    """The recycler's thread: nothing to do."""


def stream_write(device_id: int, address: int, value: int, name: str) -> None:
    _word(address)[0] = value


def stream_wait(device_id: int, address: int, value: int, name: str) -> None:
    if int(_word(address)[0]) < value:
        raise RuntimeError("would wait for ever: nothing was published")


def _word(address: int) -> torch.Tensor:
    at = address - BASE
    return _buffers[BASE][at : at + 4].view(torch.int32)
