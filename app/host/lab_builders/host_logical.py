"""The logical host pool."""

from collections.abc import Callable

from pools.kinds.host_logical import HostLogical


def build(*, size: int, page_size: int) -> tuple[HostLogical, Callable[[int], object]]:
    """A pool of `size` slots; amounts are slots.

    Raises:
        HostSizeUnaligned: part of a page.
    """
    pool = HostLogical(size, page_size)
    return pool, pool.alloc


BUILDER = build
