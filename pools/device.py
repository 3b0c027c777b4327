"""CPU and CUDA back ends of the few operations that follow a stream.

    pool ── control_words() ──► write_word · wait_word · read_words     (ready and ack words)
         ── copy() ───────────► bytes into a lease, in stream order
         ── budget() ─────────► how much real memory pools may take

On the CPU each takes effect at once. On CUDA they are queued on the current stream, so a ready
word is written after the bytes that it announces. Everything of CUDA is imported on first use.
"""

import importlib
import re
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

CONTROL_WORD_BYTES = 4
#: share of a GPU's free memory that pools may take, so that a watched server is not starved
CUDA_BUDGET_DIVISOR = 20


class DeviceUnavailable(RuntimeError):
    """A device that this machine or this installation does not have; the text says what to do."""


class EndlessWait(RuntimeError):
    """A wait on the CPU for a word that nobody is left to write."""


class ControlWords(Protocol):
    """int32 words at the front of a buffer, one row per slot: ready, then one ack per consumer."""

    def write_word(self, row: int, column: int, value: int) -> None:
        """Store `value`, after everything queued before it."""
        ...

    def wait_word(self, row: int, column: int, value: int) -> None:
        """Hold what follows until the word is at least `value` (signed difference, as CUDA)."""
        ...

    def read_words(self, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        """The words of `rows`, shape (len(rows), columns), in one gather; a CPU copy."""
        ...


class Device(Protocol):
    """Where a pool's memory lies. `name` is `cpu` or `cuda:N`."""

    name: str
    torch_device: torch.device

    def control_words(self, byte_tensor: torch.Tensor, rows: int, columns: int) -> ControlWords:
        """Zeroed words over the first rows * columns * 4 bytes of `byte_tensor`.

        Raises:
            DeviceUnavailable: the back end cannot write single words.
        """
        ...

    def copy(self, destination: torch.Tensor, source: torch.Tensor) -> None:
        """Copy bytes, both uint8 of shape (n,); ordered before any word written later."""
        ...

    def budget(self, asked_bytes: int) -> int:
        """Bytes of real memory that pools may take when `asked_bytes` were granted."""
        ...


def _words_of(byte_tensor: torch.Tensor, rows: int, columns: int) -> torch.Tensor:
    words = byte_tensor[: rows * columns * CONTROL_WORD_BYTES].view(torch.int32)
    return words.view(rows, columns).zero_()


class _CpuWords:
    # A standing numpy view: writing one element through torch costs seven times as much.
    def __init__(self, words: torch.Tensor) -> None:
        self._words: NDArray[np.int32] = words.numpy()

    def write_word(self, row: int, column: int, value: int) -> None:
        self._words[row, column] = value

    def wait_word(self, row: int, column: int, value: int) -> None:
        found = int(self._words[row, column])
        if found < value:
            raise EndlessWait(
                f"control word {column} of slot {row} is {found}, waited for {value}: on the "
                "CPU nothing else could write it, so the wait would never end; publish first"
            )

    def read_words(self, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        return self._words[rows]


class CpuDevice:
    """Host memory; every operation is done when the call returns."""

    name = "cpu"
    torch_device = torch.device("cpu")

    def control_words(self, byte_tensor: torch.Tensor, rows: int, columns: int) -> ControlWords:
        """Zeroed words over the front of `byte_tensor`."""
        return _CpuWords(_words_of(byte_tensor, rows, columns))

    def copy(self, destination: torch.Tensor, source: torch.Tensor) -> None:
        """Copy bytes, uint8 of shape (n,)."""
        destination.copy_(source)

    def budget(self, asked_bytes: int) -> int:
        """What was asked for."""
        return asked_bytes


class _CudaWords:
    def __init__(self, words: torch.Tensor, driver: Any) -> None:  # noqa: ANN401 - untyped module
        self._words, self._driver = words, driver
        self._base = words.data_ptr()

    def write_word(self, row: int, column: int, value: int) -> None:
        self._queue("cuStreamWriteValue32", row, column, value)

    def wait_word(self, row: int, column: int, value: int) -> None:
        self._queue("cuStreamWaitValue32", row, column, value)

    def read_words(self, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        index = torch.from_numpy(rows).to(self._words.device)
        gathered: NDArray[np.int32] = self._words.index_select(0, index).cpu().numpy()
        return gathered

    def _queue(self, call: str, row: int, column: int, value: int) -> None:
        stream = torch.cuda.current_stream(self._words.device).cuda_stream
        place = self._base + (row * self._words.shape[1] + column) * CONTROL_WORD_BYTES
        # Flags 0: for a wait, greater or equal on the signed difference.
        (result,) = getattr(self._driver, call)(stream, place, value, 0)
        if int(result) != 0:
            raise DeviceUnavailable(f"{call} failed on {self._words.device}: {result}")


class CudaDevice:
    """One GPU; operations are queued on torch's current stream of that device."""

    def __init__(self, index: int = 0) -> None:
        """Open GPU `index`.

        Raises:
            DeviceUnavailable: torch sees no such GPU.
        """
        count = torch.cuda.device_count()
        if index >= count:
            raise DeviceUnavailable(
                f"device cuda:{index} is not available: torch {torch.__version__} sees {count} "
                "GPUs; use --device cpu, or install a CUDA build of torch"
            )
        self.name = f"cuda:{index}"
        self.torch_device = torch.device("cuda", index)

    @cached_property
    def _driver(self) -> Any:  # noqa: ANN401 - untyped module
        try:
            return importlib.import_module("cuda.bindings.driver")
        except ImportError as missing:
            raise DeviceUnavailable(
                "the feature pool writes its control words on CUDA with cuda-bindings, which is "
                "not installed; install poolscope[cuda], or use --device cpu"
            ) from missing

    def control_words(self, byte_tensor: torch.Tensor, rows: int, columns: int) -> ControlWords:
        """Zeroed words over the front of `byte_tensor`; waits until they are.

        Raises:
            DeviceUnavailable: cuda-bindings is not installed.
        """
        words = _CudaWords(_words_of(byte_tensor, rows, columns), self._driver)
        torch.cuda.synchronize(self.torch_device)
        return words

    def copy(self, destination: torch.Tensor, source: torch.Tensor) -> None:
        """Queue a copy of bytes, uint8 of shape (n,)."""
        destination.copy_(source, non_blocking=True)

    def budget(self, asked_bytes: int) -> int:
        """At most a twentieth of the memory that is free on the GPU now."""
        free_bytes, _ = torch.cuda.mem_get_info(self.torch_device)
        return min(asked_bytes, free_bytes // CUDA_BUDGET_DIVISOR)


def open_device(name: str) -> Device:
    """The back end called `name`: `cpu`, `cuda` (GPU 0) or `cuda:N`.

    Raises:
        DeviceUnavailable: torch sees no such GPU.
        ValueError: another name.
    """
    if name == "cpu":
        return CpuDevice()
    found = re.fullmatch(r"cuda(?::(\d+))?", name)
    if found is None:
        raise ValueError(f"device {name!r} is not known; use cpu, cuda or cuda:N")
    return CudaDevice(int(found[1] or 0))


def lazy_zeros(
    shape: tuple[int, ...], dtype: torch.dtype, device: str | torch.device
) -> torch.Tensor:
    """Zeroed memory; on the CPU its pages come into being when they are first touched.

    `torch.zeros` writes its zeros, so that a table of a gigabyte takes a gigabyte at once.

    Args:
        shape: of the tensor.
        dtype: any integer or float type of whole bytes.
        device: "cpu", "cuda" or "cuda:N".
    """
    where = torch.device(device)
    if where.type != "cpu":
        return torch.zeros(shape, dtype=dtype, device=where)
    nbytes = dtype.itemsize
    for extent in shape:
        nbytes *= extent
    return torch.from_numpy(np.zeros(nbytes, np.uint8)).view(dtype).view(shape)
