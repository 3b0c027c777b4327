import importlib.util

import numpy as np
import pytest
import torch

from pools.device import CpuDevice, CudaDevice, DeviceUnavailable, EndlessWait, open_device


def test_words_lie_at_the_front_of_the_buffer_row_by_row() -> None:
    memory = torch.full((64,), 0xFF, dtype=torch.uint8)
    words = open_device("cpu").control_words(memory, 3, 2)
    assert memory[:24].sum() == 0, "zeroed"
    assert (memory[24:] == 0xFF).all(), "nothing behind them is touched"
    words.write_word(1, 1, 0x01020304)
    assert memory[12:16].tolist() == [4, 3, 2, 1]


def test_words_are_gathered_by_row_as_a_copy() -> None:
    words = open_device("cpu").control_words(torch.zeros(64, dtype=torch.uint8), 4, 2)
    words.write_word(3, 0, 7)
    words.write_word(1, 1, 9)
    gathered = words.read_words(np.array([3, 1]))
    assert gathered.dtype == np.int32
    assert gathered.tolist() == [[7, 0], [0, 9]]
    words.write_word(3, 0, 8)
    assert gathered[0, 0] == 7
    assert words.read_words(np.empty(0, np.int64)).shape == (0, 2)


def test_a_wait_passes_when_the_word_is_there_and_says_so_when_it_never_can_be() -> None:
    words = open_device("cpu").control_words(torch.zeros(64, dtype=torch.uint8), 4, 2)
    words.write_word(2, 0, 5)
    words.wait_word(2, 0, 5)
    words.wait_word(2, 0, 4)
    with pytest.raises(EndlessWait, match="word 0 of slot 2 is 5, waited for 6"):
        words.wait_word(2, 0, 6)


def test_cpu_copies_at_once_and_grants_what_is_asked() -> None:
    device = CpuDevice()
    target = torch.zeros(4, dtype=torch.uint8)
    device.copy(target, torch.tensor([1, 2, 3, 4], dtype=torch.uint8))
    assert target.tolist() == [1, 2, 3, 4]
    assert device.budget(2**31) == 2**31


@pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:x", "CPU", ""])
def test_an_unknown_name_lists_the_known_ones(name: str) -> None:
    with pytest.raises(ValueError, match="use cpu, cuda or cuda:N"):
        open_device(name)


def test_a_gpu_that_is_not_there_says_how_many_are() -> None:
    count = torch.cuda.device_count()
    with pytest.raises(DeviceUnavailable, match=f"sees {count} GPUs; use --device cpu"):
        open_device(f"cuda:{count}")


@pytest.mark.gpu
def test_cuda_orders_copies_and_words_on_the_stream() -> None:
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device: the stream-ordered back end is not exercised here")
    device = CudaDevice(0)
    memory = torch.full((4096,), 0xFF, dtype=torch.uint8, device=device.torch_device)
    if importlib.util.find_spec("cuda") is None:
        with pytest.raises(DeviceUnavailable, match=r"install poolscope\[cuda\]"):
            device.control_words(memory, 4, 2)
        pytest.skip("cuda-bindings is not installed: control words are not exercised here")
    words = device.control_words(memory, 4, 2)
    source = torch.arange(64, dtype=torch.uint8, device=device.torch_device)
    device.copy(memory[256:320], source)
    words.write_word(3, 1, 0x7FFFFFFF)
    words.wait_word(3, 1, 0x7FFFFFFF)
    assert words.read_words(np.array([3, 0])).tolist() == [[0, 0x7FFFFFFF], [0, 0]]
    assert torch.equal(memory[256:320], source)
    free_bytes, _ = torch.cuda.mem_get_info(0)
    assert 0 < device.budget(2**62) <= free_bytes
