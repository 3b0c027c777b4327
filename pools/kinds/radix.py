"""Prefix tree over a KV pool: which leading tokens are in memory already, and who runs on them.

Mirrors: sglang 0.5.23 mem_cache/radix_cache.py (RadixCache), demotion and load-back as
    mem_cache/unified_radix_cache.py
Diverges: eviction keeps a lazy heap between calls instead of collecting all leaves; tlru, which
    upstream's unified tree alone has, is here too (`pools.structures.eviction`)
Owns: nothing; it marks units of the KV pool protected (someone runs on them) or evictable.

             root
            /    \
      [system p.] [..]        a request locks its node and all above: protected
       /      \
    [turn 1] [turn 1']        unlocked leaves go first, least recently used

Invariants:
    I1  evictable_size + protected_size == tokens of all nodes with a value.
    I2  keys and values are whole pages; siblings differ in their first page.
    I3  a locked node's ancestors are locked.
"""

from collections.abc import Mapping
from typing import ClassVar

from pools.errors import IntegrityError
from pools.snapshot import PoolSnapshot
from pools.structures.host_tier import HostSlots
from pools.structures.kv_units import KvUnits
from pools.structures.prefix_tree import PrefixTree
from pools.structures.radix_node import RadixNode


class Radix(PrefixTree):
    """The tree as a pool: its accounts, its audit, and what can be seen of it."""

    KIND: ClassVar[str] = "radix"
    state: None = None
    generation: None = None
    owner: None = None

    def __init__(
        self,
        kv: KvUnits,
        page_size: int,
        *,
        eviction_policy: str = "lru",
        eviction_config: Mapping[str, int] | None = None,
        host: HostSlots | None = None,
        disabled: bool = False,
        name: str = "radix",
    ) -> None:
        """An empty tree over `kv`; with `disabled` nothing is ever kept.

        Raises:
            InvalidSize: an eviction policy, or a parameter of one, that is not there.
        """
        super().__init__(
            kv,
            page_size,
            eviction_policy=eviction_policy,
            eviction_config=eviction_config,
            host=host,
            disabled=disabled,
        )
        self.name = name
        kv.attach_tree(self)

    def back_up(self, node: RadixNode) -> int | None:
        """Copy a node and those above to the host; None when the host could not take it."""
        if self.tier is None:
            return 0
        return self.tier.back_up(node)

    def evict_host(self, num_tokens: int) -> int:
        """Drop host-only leaves; host tokens freed."""
        return self.tier.evict(num_tokens) if self.tier is not None else 0

    def residual(self) -> int:
        """A view has no residual of its own; the KV pool's covers it."""
        return 0

    def audit(self) -> None:
        """Walk the tree against its own sums.

        Raises:
            IntegrityError: naming what differs.
        """
        evictable = protected = nodes = 0
        for node in self._walk():
            if node.value is None:
                continue
            nodes += 1
            if len(node.value) != len(node.key) or len(node.key) % self.page_size:
                raise IntegrityError("a prefix node's key and value differ in length")
            if node.lock_ref:
                protected += len(node)
            else:
                evictable += len(node)
        if (evictable, protected) != (self._evictable, self._protected):
            raise IntegrityError(
                f"tree sums: evictable {self._evictable} and protected {self._protected}, "
                f"by its nodes {evictable} and {protected}"
            )

    def clear(self) -> None:
        """Forget everything; the pools below are cleared by their owner."""
        self._forget_nodes()
        if self.tier is not None:
            self.tier.clear()

    def snapshot(self, now_s: float, source: str = "synthetic") -> PoolSnapshot:
        """A view: amounts in tokens that the tree references."""
        tier = self.tier
        return PoolSnapshot(
            name=self.name,
            kind=self.KIND,
            unit="tokens",
            device="cpu",
            source=source,
            capacity=self.total_size(),
            available=0,
            evictable=self._evictable,
            protected=self._protected,
            held=0,
            leaked=0,
            page_size=self.page_size,
            view_of=self.kv.name,
            extra={
                "nodes": self._nodes,
                "hit_tokens_total": self.hit_tokens_total,
                "lookup_tokens_total": self.lookup_tokens_total,
                "evicted_tokens_total": self.evicted_tokens_total,
                "loaded_back_tokens_total": self.loaded_back_tokens_total,
                "backed_up_tokens_total": tier.backed_up_tokens_total if tier else 0,
                "backup_skipped_total": tier.skipped_total if tier else 0,
            },
        )

    def geometry(self) -> None:
        """None: the KV pool's cells show what the tree holds."""


POOL = Radix
