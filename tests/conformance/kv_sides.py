"""The KV pools behind one set of names: token granular at page size 1, else paged."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from pools.kinds.kv_pages import KvPages
from pools.kinds.kv_tokens import KvTokens
from pools.structures.kv_buffers import KvBuffers
from pools.structures.token_pool import TokenPool
from tests.conformance.upstream import classes
from tests.conformance.walk import Setup

OWNER = 7


def our_pool(setup: Setup) -> TokenPool:
    """A pool of ours of the setup's `pages`, `page_size` and `need_sort`."""
    pages, page = setup.sizes["pages"], setup.sizes["page_size"]
    settings = {"need_sort": setup.sizes["need_sort"], "checks": setup.checks}
    if setup.sizes.get("memory_check"):
        settings["buffers"] = KvBuffers((pages + 1) * page, memory_check=True)
    if page == 1:
        return KvTokens(pages, **settings)
    return KvPages(pages * page, page, **settings)


def their_pool(setup: Setup) -> Any:
    """SGLang's allocator of the same sizes."""
    pages, page = setup.sizes["pages"], setup.sizes["page_size"]
    rest = (torch.float16, "cpu", None, setup.sizes["need_sort"])
    if page == 1:
        return classes().Token(pages, *rest)
    return classes().Paged(pages * page, page, *rest)


def our_free_units(pool: TokenPool) -> Mapping[str, object]:
    """Units free to take in the order of taking, and those that wait for a sort."""
    listed, staged = pool.free_units()
    return {
        "available": pool.available_size(),
        "listed": listed.tolist(),
        "staged": sorted(staged.tolist()),
    }


def their_free_units(pool: Any) -> Mapping[str, object]:
    """The same of SGLang's; what waits is sorted before it is used, so its order is nothing."""
    free = pool.get_all_free_pages().tolist()
    listed = len(pool.free_pages)
    return {
        "available": pool.available_size(),
        "listed": free[:listed],
        "staged": sorted(free[listed:]),
    }


class Ours:
    """A pool of ours, all units for one owner."""

    def __init__(self, setup: Setup) -> None:
        self.pool = our_pool(setup)
        self.clear = self.pool.clear

    def alloc(self, need_size: int) -> Any:
        return self.pool.alloc(need_size, OWNER)

    def free(self, ids: list[int]) -> None:
        self.pool.free(np.array(ids, np.int64))

    def free_segment(self, ids: list[int]) -> None:
        self.pool.free_segment(np.array(ids, np.int64))

    def alloc_extend(self, prefix: list[int], seq: list[int], last: list[int]) -> Any:
        owners = np.full(len(prefix), OWNER)
        return self.pool.alloc_extend(*map(_ints, (prefix, seq, last)), owners)

    def alloc_decode(self, seq: list[int], last: list[int]) -> Any:
        return self.pool.alloc_decode(_ints(seq), _ints(last), np.full(len(seq), OWNER))

    def write(self, ids: list[int]) -> None:
        self.pool.stamp(_ints(ids), 1, 1, 0)

    def scribble(self, token: int) -> None:
        """Something else writes there, past the pool."""
        self.pool.buffers.k[0][token] = 1.0

    def look(self) -> Mapping[str, object]:
        return our_free_units(self.pool)


class Upstream:
    """SGLang's allocator."""

    def __init__(self, setup: Setup) -> None:
        self.pool = their_pool(setup)
        self.clear, self.alloc = self.pool.clear, self.pool.alloc

    def free(self, ids: list[int]) -> None:
        self.pool.free(torch.tensor(ids, dtype=torch.int64))

    def free_segment(self, ids: list[int]) -> None:
        self.pool.free_segment(torch.tensor(ids, dtype=torch.int64), start_pos=0)

    def alloc_extend(self, prefix: list[int], seq: list[int], last: list[int]) -> Any:
        p, s, at = (torch.tensor(_ints(values)) for values in (prefix, seq, last))
        return self.pool.alloc_extend(p, p, s, s, at, int((s - p).sum()))

    def alloc_decode(self, seq: list[int], last: list[int]) -> Any:
        s, at = torch.tensor(_ints(seq)), torch.tensor(_ints(last))
        return self.pool.alloc_decode(s, s, at)

    def write(self, ids: list[int]) -> None:
        """There is no memory behind this side."""

    def scribble(self, token: int) -> None:
        """Nor does it look at any."""

    def look(self) -> Mapping[str, object]:
        return their_free_units(self.pool)


def _ints(values: list[int]) -> Any:
    return np.array(values, np.int64)
