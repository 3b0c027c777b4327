"""Admission and prefill: who comes in this round, with how many tokens.

Mirrors: sglang 0.5.23 managers/schedule_policy.py (PrefillAdder), managers/scheduler.py
    (get_new_batch_prefill)
"""

from collections import deque
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.engine.cache import RequestCache
from app.engine.ledger import EngineLedger
from app.engine.live_request import NO_ROW, LiveRequest
from app.engine.policies.rules import Rules
from app.engine.policies.sglang import CLIP_MAX_NEW_TOKENS, PrefillBudget
from app.engine.pool_set import PoolSet
from app.engine.running_batch import RunningBatch
from app.sizing.plan import PoolPlan
from pools.allocation import alloc_for_extend, alloc_req_slots

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Portion:
    """One request's share of a prefill step: tokens [start, stop) of it; `last` ends its prompt."""

    live: LiveRequest
    start: int
    stop: int
    last: bool


class Prefill:
    """The waiting queue, the chunked request, and the rounds over them."""

    def __init__(
        self,
        plan: PoolPlan,
        pools: PoolSet,
        cache: RequestCache,
        ledger: EngineLedger,
        rules: Rules,
    ) -> None:
        self._plan, self._pools, self._cache, self._ledger = plan, pools, cache, ledger
        self._rules = rules
        self.waiting: deque[LiveRequest] = deque()
        self.chunked: LiveRequest | None = None
        #: a full batch is not tried again until somebody leaves
        self.batch_is_full = False
        self.blocked_by: str | None = None
        #: prefixes found for requests that have no row yet, by request id
        self._matched: dict[int, Ids] = {}

    def choose(self, running: RunningBatch, ratio: float) -> list[Portion]:
        """One round of admission; requests chosen hold their prefix locked.

        Args:
            running: who runs.
            ratio: new-token ratio.
        """
        if self.chunked is None and (self.batch_is_full or not self.waiting):
            return []
        pools, plan = self._pools, self._plan
        budget = PrefillBudget(
            reclaimable=self._rules.reclaimable(pools),
            reserved=running.reserve(CLIP_MAX_NEW_TOKENS) * ratio,
            page=self._rules.admission_page(plan.page_size),
            input_left=plan.max_prefill_tokens,
            chunk_left=plan.chunked_prefill_size,
        )
        portions: list[Portion] = []
        if self.chunked is not None:
            portions.append(self._continue_chunk(self.chunked, budget))
        held = len(running) + len(portions)
        self.blocked_by = None
        while self.waiting and not budget.spent and self.chunked_ends(portions):
            gate = self._rules.rows(
                plan.max_running_requests, held, pools.slots.available_size() - _new(portions)
            )
            if gate < 1:
                self.blocked_by, self.batch_is_full = "rows", True
                break
            portion = self._try(self.waiting[0], budget)
            if portion is None:
                if self.blocked_by == "tokens":
                    self.batch_is_full = bool(held)
                break
            self.waiting.popleft()
            portions.append(portion)
            held += 1
        return portions

    def run(self, portions: list[Portion], now_ns: int) -> int:
        """Allocate rows and pages, write them, keep whole pages in the tree.

        Returns:
            Prompt tokens computed in this step.
        """
        pools = self._pools
        fresh = [portion.live for portion in portions if portion.live.row == NO_ROW]
        rows = alloc_req_slots(pools.slots, len(fresh), [live.rid for live in fresh])
        for live, row in zip(fresh, rows, strict=True):
            self._seat(live, row, now_ns)
        starts = np.array([portion.start for portion in portions])
        stops = np.array([portion.stop for portion in portions])
        last = np.array([self._last_loc(portion) for portion in portions])
        owners = np.array([portion.live.rid for portion in portions])
        ids = alloc_for_extend(pools.tree, pools.kv, starts, stops, last, owners)
        at = 0
        for portion in portions:
            count = portion.stop - portion.start
            live, mine = portion.live, ids[at : at + count]
            at += count
            pools.write_row(live.row, portion.start, mine)
            pools.kv.stamp(mine, live.row, live.generation, portion.start)
            live.kv_len = portion.stop
            self._cache.keep_unfinished(live)
        self.chunked = next((p.live for p in portions if not p.last), None)
        return int((stops - starts).sum())

    @staticmethod
    def chunked_ends(portions: list[Portion]) -> bool:
        """Whether the round may go on: nobody in it is cut short."""
        return all(portion.last for portion in portions)

    def _continue_chunk(self, live: LiveRequest, budget: PrefillBudget) -> Portion:
        extend = budget.chunk_of(live.prefill_len - live.kv_len)
        last = live.kv_len + extend == live.prefill_len
        budget.spend(extend, live.max_new - live.out if last else 0)
        return Portion(live, live.kv_len, live.kv_len + extend, last)

    def _try(self, live: LiveRequest, budget: PrefillBudget) -> Portion | None:
        tree = self._pools.tree
        # One token at least is computed, so that there is a logit to sample from.
        match = tree.load_back(tree.match_prefix(live.tokens(live.prefill_len - 1)))
        tree.inc_lock_ref(match.node)
        budget.reclaimable = self._rules.reclaimable(self._pools)
        matched = len(match.indices)
        extend = live.prefill_len - matched
        take = budget.chunk_of(extend)
        new_tokens = live.max_new - live.out
        fits = budget.admits(extend, new_tokens) and budget.holds(take)
        if not fits or take <= 0:
            tree.dec_lock_ref(match.node)
            self.blocked_by = "chunk" if fits else "tokens"
            return None
        last = take == extend
        budget.spend(take, new_tokens if last else 0)
        live.node, live.prefix_len, live.kv_len = match.node, matched, matched
        self._ledger.add("prefix_hit_tokens_total", matched)
        self._ledger.add("prompt_tokens_total", live.prefill_len)
        if live.retractions:
            self._ledger.add("recomputed_tokens_total", extend)
        self._matched[live.rid] = match.indices
        return Portion(live, matched, matched + take, last)

    def _seat(self, live: LiveRequest, row: int, now_ns: int) -> None:
        live.row = row
        live.generation = int(self._pools.slots.generation[row - 1])
        live.admitted_ns = now_ns
        prefix = self._matched.pop(live.rid)
        self._pools.write_row(row, 0, prefix)
        self._ledger.waited((now_ns - live.queued_ns) / 1e9)
        self._ledger.decided(b"a", live.rid, now_ns, len(prefix))

    def _last_loc(self, portion: Portion) -> int:
        if portion.start == 0:
            return -1
        ids = self._pools.read_row(portion.live.row, portion.start - 1, portion.start)
        return int(ids[0])


def _new(portions: list[Portion]) -> int:
    return sum(portion.live.row == NO_ROW for portion in portions)
