"""The host KV pool in one of its layouts."""

from collections.abc import Callable

from pools.kinds.host_kv import HostKv
from pools.structures.kv_buffers import KvBuffers


def build(
    *, size: int, page_size: int, layout: str, io_backend: str | None = None
) -> tuple[HostKv, Callable[[int], object]]:
    """A pool of `size` tokens beside a device of half as many; amounts are tokens.

    Raises:
        HostUnsupportedLayout: as the pool does.
    """
    device = KvBuffers(size // 2 + page_size)
    pool = HostKv(size, page_size, device, layout=layout, io_backend=io_backend)
    return pool, pool.alloc


BUILDER = build
