"""`Radix` beside `RadixCache`, each over its own KV pool: the order of evicted ids is compared."""

from array import array
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np
import torch

from pools.kinds.radix import Radix
from pools.structures.eviction import POLICIES
from tests.conformance.kv_sides import our_free_units, our_pool, their_free_units, their_pool
from tests.conformance.upstream import classes
from tests.conformance.walk import Operation, Pair, Setup

PAGES = 20
OWNER = 7
#: policies that upstream's Python tree has by these names, and that need nothing but the tree
SHARED = {"lru", "lfu", "slru", "priority", "fifo", "mru", "filo"}


class Ours:
    """Our tree; nodes that were locked are known by their turn."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.kv = our_pool(setup)
        page, policy = setup.sizes["page_size"], setup.sizes["policy"]
        self.tree = Radix(self.kv, page, eviction_policy=policy)
        self.locked: list[Any] = []

    def insert(self, key: list[int], priority: int = 0, before: int = 0) -> Any:
        """As a request that finishes: allocate, insert, free what was there already.

        `before` tokens of the key count as inserted by this request earlier.
        """
        ids = self.kv.alloc(len(key), OWNER)
        if ids is None:
            return None
        present = self.tree.insert(
            np.array(key, np.int64), ids, OWNER, priority=priority, inserted_tokens=before
        )
        if present:
            self.kv.free_segment(ids[:present])
        return present

    def match(self, key: list[int]) -> Any:
        return self.tree.match_prefix(np.array(key, np.int64)).indices

    def lock(self, key: list[int]) -> int:
        match = self.tree.match_prefix(np.array(key, np.int64))
        self.tree.inc_lock_ref(match.node)
        self.locked.append(match.node)
        return len(match.indices)

    def unlock(self, turn: int) -> None:
        self.tree.dec_lock_ref(self.locked.pop(turn))

    def lock_again(self, turn: int) -> None:
        """The node is known under one more turn, without a lock."""
        self.locked.append(self.locked[turn])

    def keep(self, key: list[int], ids: list[int]) -> Any:
        return self.tree.insert(np.array(key, np.int64), np.array(ids, np.int64), OWNER)

    def evict(self, num_tokens: int) -> int:
        return self.tree.evict(num_tokens)

    def clear(self) -> None:
        self.tree.clear()
        self.kv.clear()
        self.locked.clear()

    def look(self) -> Mapping[str, object]:
        tree = self.tree
        sizes = (tree.evictable_size(), tree.protected_size(), tree.total_size())
        return {"sizes": sizes, **our_free_units(self.kv)}


class Upstream:
    """SGLang's tree and allocator."""

    def __init__(self, setup: Setup) -> None:
        self.kv = their_pool(setup)
        self.tree = classes().RadixCache(
            classes().CacheInitParams(
                disable=False,
                req_to_token_pool=None,
                token_to_kv_pool_allocator=self.kv,
                page_size=setup.sizes["page_size"],
                eviction_policy=setup.sizes["policy"],
            )
        )
        self.locked: list[Any] = []

    def insert(self, key: list[int], priority: int = 0, before: int = 0) -> Any:
        ids = self.kv.alloc(len(key))
        if ids is None:
            return None
        found = self.tree.insert(
            classes().InsertParams(key=_key(key), value=ids, priority=priority, inserted_len=before)
        )
        self.kv.free_segment(ids[: found.prefix_len], start_pos=0)
        return found.prefix_len

    def match(self, key: list[int]) -> Any:
        return self.tree.path_device_indices(self._match(key).last_device_node)

    def lock(self, key: list[int]) -> int:
        match = self._match(key)
        self.tree.inc_lock_ref(match.last_device_node)
        self.locked.append(match.last_device_node)
        return match.device_prefix_len

    def unlock(self, turn: int) -> None:
        self.tree.dec_lock_ref(self.locked.pop(turn))

    def lock_again(self, turn: int) -> None:
        self.locked.append(self.locked[turn])

    def keep(self, key: list[int], ids: list[int]) -> Any:
        value = torch.tensor(ids, dtype=torch.int64)
        return self.tree.insert(classes().InsertParams(key=_key(key), value=value)).prefix_len

    def evict(self, num_tokens: int) -> int:
        return self.tree.evict(classes().EvictParams(num_tokens=num_tokens)).num_tokens_evicted

    def clear(self) -> None:
        self.tree.reset()
        self.kv.clear()
        self.locked.clear()

    def look(self) -> Mapping[str, object]:
        tree = self.tree
        sizes = (tree.evictable_size(), tree.protected_size(), tree.total_size())
        return {"sizes": sizes, **their_free_units(self.kv)}

    def _match(self, key: list[int]) -> Any:
        return self.tree.match_prefix(classes().MatchPrefixParams(key=_key(key)))


class Chooser:
    """Keys over a small alphabet, so that they share prefixes and split nodes."""

    def __init__(self, setup: Setup, random: Random) -> None:
        self.random, self.page = random, setup.sizes["page_size"]
        self.keys: list[list[int]] = []
        self.locks = 0

    def choose(self) -> Operation:
        dice = self.random.random()
        if dice < 0.02:
            return "clear", ()
        if dice < 0.40:
            key = self._key(whole=True)
            before = self.random.choice((0, 0, len(key) // 2))
            return "insert", (key, self.random.randint(0, 2), before)
        if dice < 0.55:
            return "match", (self._key(whole=False),)
        if dice < 0.67 and self.locks < 4:
            return "lock", (self._key(whole=False),)
        if dice < 0.80 and self.locks:
            return "unlock", (self.random.randrange(self.locks),)
        most = PAGES * self.page // 2
        return "evict", (self.random.choice((0, 1, self.page, 2 * self.page + 1, most)),)

    def note(self, operation: Operation, value: Any) -> None:
        name, arguments = operation
        if name == "clear":
            self.locks = 0
        elif name == "insert" and value is not None:
            self.keys = [*self.keys[-9:], arguments[0]]
        elif name in ("lock", "unlock"):
            self.locks += 1 if name == "lock" else -1

    def _key(self, *, whole: bool) -> list[int]:
        # A key seen before, cut and continued: turns of conversations that share a beginning.
        before = self.random.choice(self.keys) if self.keys and self.random.random() < 0.7 else []
        kept = self.random.randint(0, len(before) // self.page) * self.page
        pages = [[self.random.randint(0, 2)] * self.page for _ in range(self.random.randint(0, 4))]
        key = [*before[:kept], *(token for page in pages for token in page)]
        if whole or self.page == 1:
            return key[: PAGES * self.page]
        return key + [9] * self.random.randint(0, self.page - 1)


def _key(tokens: list[int]) -> Any:
    return classes().RadixKey(array("q", tokens))


def setups() -> Sequence[Setup]:
    return [
        Setup(checks, {"pages": PAGES, "page_size": page, "need_sort": need_sort, "policy": policy})
        for checks in ("upstream", "strict")
        for page in (1, 4)
        for need_sort in (False, True)
        for policy in sorted(SHARED & POLICIES.keys())
    ]


PAIR = Pair(Ours, Upstream, Chooser, setups)
