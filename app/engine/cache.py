"""What happens to a request's KV: kept in the tree, freed, or backed up to the host."""

import numpy as np

from app.engine.live_request import NO_ROW, LiveRequest
from app.engine.policies.rules import Rules
from app.engine.pool_set import PoolSet


class RequestCache:
    """Moves a request's tokens between its row, the tree and the free list."""

    def __init__(self, pools: PoolSet, rules: Rules) -> None:
        self._pools, self._rules = pools, rules

    def keep_unfinished(self, live: LiveRequest) -> None:
        """After a prefill step: whole pages go into the tree and stay locked by this request.

        Mirrors: sglang 0.5.23 mem_cache/radix_cache.py (cache_unfinished_req)
        """
        pools = self._pools
        whole = live.kv_len - live.kv_len % pools.kv.page_size
        if pools.tree.disabled or whole <= live.prefix_len:
            return
        key = live.tokens(whole)
        ids = pools.read_row(live.row, 0, whole)
        present = pools.tree.insert(key, ids, live.rid, inserted_tokens=live.cached_len)
        live.cached_len = max(live.cached_len, whole)
        if present > live.prefix_len:
            pools.kv.free(ids[live.prefix_len : present])
        match = pools.tree.match_prefix(key)
        if present > live.prefix_len:
            # Somebody else brought the same tokens first: point the row at theirs.
            pools.write_row(live.row, live.prefix_len, match.indices[live.prefix_len :])
        self._lock(live, match.node)
        live.prefix_len = whole

    def keep_finished(self, live: LiveRequest) -> int:
        """At the end: whole pages stay in the tree, the tail and duplicates are freed.

        Returns:
            1 when the host had no room for the backup, else 0.
        """
        pools = self._pools
        ids = pools.read_row(live.row, 0, live.kv_len)
        whole = live.kv_len - live.kv_len % pools.kv.page_size
        skipped = 0
        if pools.tree.disabled:
            pools.kv.free(ids)
        else:
            key = live.tokens(whole)
            present = pools.tree.insert(key, ids[:whole], live.rid, inserted_tokens=live.cached_len)
            duplicates = ids[live.prefix_len : present]
            self._rules.give_tail_back(pools, np.concatenate((duplicates, ids[whole:])))
            if pools.host is not None:
                node = pools.tree.match_prefix(key).node
                skipped = int(not self._rules.back_up(pools, live, node))
        self._leave(live)
        return skipped

    def drop(self, live: LiveRequest) -> None:
        """Retraction or abort: what the tree does not own is freed, nothing is kept anew."""
        pools = self._pools
        if live.row != NO_ROW:
            pools.kv.free(pools.read_row(live.row, live.prefix_len, live.kv_len))
        self._leave(live)

    def _lock(self, live: LiveRequest, node: object) -> None:
        tree = self._pools.tree
        tree.inc_lock_ref(node)  # type: ignore[arg-type]
        if live.node is not None:
            tree.dec_lock_ref(live.node)
        live.node = node  # type: ignore[assignment]

    def _leave(self, live: LiveRequest) -> None:
        pools = self._pools
        if live.node is not None:
            pools.tree.dec_lock_ref(live.node)
            live.node = None
        if live.row != NO_ROW:
            self._rules.give_row_back(pools, live.row)
        live.row, live.kv_len, live.prefix_len, live.cached_len = NO_ROW, 0, 0, 0
