"""What tests of the host KV pool build and look at."""

import dataclasses
from typing import Any

import numpy as np
import torch

from pools.kinds.host_kv import HostKv
from pools.structures.kv_buffers import KvBuffers

PAGE = 4


def filled(slots: int = 64) -> KvBuffers:
    """A device full of noise, so that a byte in the wrong place shows."""
    torch.manual_seed(5)
    device = KvBuffers(slots, num_layers=3, kv_heads=2)
    for tensor in (*device.k, *device.v):
        tensor.copy_(torch.randn(tensor.shape))
    return device


def pages(*numbers: int) -> np.ndarray:
    return (np.array(numbers)[:, None] * PAGE + np.arange(PAGE)).ravel()


def taken(pool: HostKv, count: int) -> np.ndarray:
    ids = pool.alloc(count)
    assert ids is not None
    return ids


def seen(pool: HostKv) -> tuple[dict[str, Any], list[int], bytes]:
    shown = {**dataclasses.asdict(pool.snapshot(0.0)), "counters": None}
    memory = pool.buffers.kv_buffer.view(torch.uint8).numpy().tobytes()
    return shown, pool.geometry().state.tolist(), memory


def conserved(pool: HostKv) -> None:
    pool.audit()
    assert pool.residual() == 0
