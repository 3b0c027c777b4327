"""One iteration of a server of vLLM's kind: running requests first, then the queue, one batch.

Prompts are cut to what the step has left, decodes and prompts share a step, and a running request
that finds no page takes those of the newest.

Mirrors: vllm 0.19 v1/core/sched/scheduler.py. It is here to check pools and arithmetic against
    measured runs; prefix caching, speculation and priorities are not modelled.
"""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from app.engine.cache import RequestCache
from app.engine.ledger import EngineLedger
from app.engine.live_request import LiveRequest
from app.engine.policies.rules import Rules
from app.engine.policies.vllm import (
    Ints,
    admits,
    first_preempted,
    max_new_tokens,
    pages_for,
    shares,
)
from app.engine.policy import Batch, Emit, Policy
from app.engine.pool_set import PoolSet
from app.engine.quiet import Durations
from app.engine.running_batch import RunningBatch
from app.engine.step_time import StepTime
from app.sizing.plan import PoolPlan
from app.wire.event import EngineEvent
from pools.allocation import alloc_req_slots, alloc_token_slots

#: admissions remembered one by one
ADMISSIONS_KEPT = 65_536


@dataclass(slots=True)
class Queue:
    """Who waits, first come first; preempted requests stand in front."""

    waiting: deque[LiveRequest] = field(default_factory=deque)
    chunked: LiveRequest | None = None
    blocked_by: str | None = None


@dataclass(frozen=True, slots=True)
class NoReserve:
    """Admission keeps nothing free for the output still to come."""

    current: float = 0.0


class VllmScheduler:
    """First come, allocate as you go, preempt the newest.

    Attributes:
        admissions: (request id, taken in at, first scheduled at) of the last 65,536, ns.
        recomputed_tokens_total: tokens computed again after a preemption.
    """

    def __init__(
        self,
        plan: PoolPlan,
        pools: PoolSet,
        ledger: EngineLedger,
        emit: Emit,
        time: StepTime,
        rules: Rules,
    ) -> None:
        self._plan, self._pools, self._ledger, self._emit = plan, pools, ledger, emit
        self._time, self._cache = time, RequestCache(pools, rules)
        self.running, self.prefill, self.ratio = RunningBatch(), Queue(), NoReserve()
        self.row_bound_since_ns: int | None = None
        self.admissions: deque[tuple[int, int, int]] = deque(maxlen=ADMISSIONS_KEPT)
        self.recomputed_tokens_total = 0
        self._fresh: list[LiveRequest] = []

    def enqueue(self, live: LiveRequest) -> None:
        """A request joins the queue's end; its wait counts from the next iteration."""
        self.prefill.waiting.append(live)
        self._fresh.append(live)

    def iterate(self, now_ns: int, horizon_ns: int) -> tuple[Batch, Durations]:
        """One step; `horizon_ns` is not used, steps are not run together here."""
        del horizon_ns
        for live in self._fresh:
            live.queued_ns = now_ns
        self._fresh.clear()
        before = len(self.running)
        take = shares(self._missing(), self._plan.max_prefill_tokens)
        stay = self._make_room(take, now_ns)
        take = self._admit(take, now_ns) if stay == before else take[:stay]
        if not len(self.running):
            # After a preemption nobody is admitted in the same step.
            waits = bool(self.prefill.waiting)
            took = self._time.mixed(0, 0, 0) if waits else 0
            return ("decode" if waits else "idle"), np.array([took], np.int64)
        return self._compute(take, now_ns)

    def need_next_pages(self) -> int:
        """Pages that the next decode step needs."""
        return self.running.crossing(self._plan.page_size)

    def _missing(self) -> Ints:
        running = self.running
        missing: Ints = (
            running.column("input_len") + running.column("out") - running.column("kv_len")
        )
        return missing

    def _make_room(self, take: Ints, now_ns: int) -> int:
        """Preempt from the newest on until the rest fits; how many stay."""
        running, page = self.running, self._plan.page_size
        kv_len = running.column("kv_len")
        pages = pages_for(kv_len, take, page)
        free = self._pools.kv.available_size() // page
        if int(pages.sum()) <= free:
            return len(running)
        stay = first_preempted(pages, -(-kv_len // page), free)
        victims = running.leave(range(stay, len(running)))
        for live in reversed(victims):
            self._ledger.decided(b"r", live.rid, now_ns, live.out)
            live.retractions += 1
            self._cache.drop(live)
            self.prefill.waiting.appendleft(live)
        self._tell(victims, now_ns)
        return stay

    def _admit(self, take: Ints, now_ns: int) -> Ints:
        plan, queue, page = self._plan, self.prefill, self._plan.page_size
        kv = self._pools.kv
        free = kv.available_size() // page
        free -= int(pages_for(self.running.column("kv_len"), take, page).sum())
        budget = plan.max_prefill_tokens - int(take.sum())
        taken = take.tolist()
        queue.blocked_by = None
        while queue.waiting and budget > 0:
            live = queue.waiting[0]
            if len(self.running) >= plan.max_running_requests:
                queue.blocked_by = "rows"
                break
            if not admits(live.prefill_len, page, free):
                queue.blocked_by = "tokens"
                break
            queue.waiting.popleft()
            self._seat(live, now_ns)
            part = min(live.prefill_len, budget)
            taken.append(part)
            budget -= part
            free -= -(-part // page)
        self._note_row_bound(now_ns)
        return np.array(taken, np.int64)

    def _seat(self, live: LiveRequest, now_ns: int) -> None:
        slots = self._pools.slots
        (live.row,) = alloc_req_slots(slots, 1, [live.rid])
        live.generation = int(slots.generation[live.row - 1])
        if live.admitted_ns < 0:
            self.admissions.append((live.rid, live.queued_ns, now_ns))
            self._ledger.waited((now_ns - live.queued_ns) / 1e9)
            self._ledger.add("prompt_tokens_total", live.prefill_len)
        else:
            self.recomputed_tokens_total += live.prefill_len
        live.admitted_ns = now_ns
        self._ledger.decided(b"a", live.rid, now_ns, 0)
        self.running.join(live, last_loc=-1)

    def _compute(self, take: Ints, now_ns: int) -> tuple[Batch, Durations]:
        running = self.running
        kv_len, out = running.column("kv_len"), running.column("out")
        # A decode computes the one token that a request has beyond its KV.
        decodes = (take == 1) & (out > 0) & (self._missing() == 1)
        context = int(kv_len[decodes].sum())
        self._extend_by_one(np.flatnonzero(decodes))
        for at in np.flatnonzero((take > 0) & ~decodes).tolist():
            self._extend(at, int(take[at]))
        kv_len += take
        ready = (take > 0) & (kv_len == running.column("input_len") + out)
        out[ready] += 1
        prompt, count = int(take[~decodes].sum()), int(decodes.sum())
        self._ledger.add("decode_tokens_total", count)
        took = self._time.mixed(prompt, count, context)
        self._finish_done(now_ns + took)
        return ("prefill" if prompt else "decode"), np.array([took], np.int64)

    def _extend_by_one(self, at: Ints) -> None:
        """One token for each of these running requests; a page first for those that cross."""
        running, pools, page = self.running, self._pools, self._plan.page_size
        rows, kv_len = running.column("row")[at], running.column("kv_len")[at]
        ids = running.column("last_loc")[at] + 1
        for one in np.flatnonzero(kv_len % page == 0).tolist():
            ids[one] = self._new_pages(1, int(running.column("rid")[at[one]]))[0]
        pools.write_column(rows, kv_len, ids)
        pools.kv.stamp(ids, rows, running.column("generation")[at], kv_len)
        running.column("last_loc")[at] = ids

    def _extend(self, at: int, count: int) -> None:
        """The next `count` tokens of a running request: the rest of its last page, new pages."""
        running, pools, page = self.running, self._pools, self._plan.page_size
        live, start = running.requests[at], int(running.column("kv_len")[at])
        last = int(running.column("last_loc")[at])
        tail = min(-start % page, count)
        ids = np.arange(last + 1, last + 1 + tail, dtype=np.int64)
        if count > tail:
            fresh = self._new_pages(-(-(count - tail) // page), live.rid)
            ids = np.concatenate((ids, fresh[: count - tail]))
        pools.write_row(live.row, start, ids)
        pools.kv.stamp(ids, live.row, live.generation, start)
        running.column("last_loc")[at] = ids[-1]

    def _new_pages(self, count: int, rid: int) -> Ints:
        # Page by page, since a batch call keeps a reserve of a page per request, as SGLang's does.
        pools = self._pools
        return alloc_token_slots(pools.tree, pools.kv, count * self._plan.page_size, rid)

    def _finish_done(self, now_ns: int) -> None:
        running = self.running
        done = np.flatnonzero(running.column("out") >= running.column("max_new"))
        if not done.size:
            return
        for live in running.leave(done.tolist()):
            self._ledger.decided(b"f", live.rid, now_ns, live.out)
            self._ledger.add("finished_total")
            self._cache.keep_finished(live)

    def _tell(self, victims: list[LiveRequest], now_ns: int) -> None:
        self._ledger.add("retracted_total", len(victims))
        self._emit(
            EngineEvent(
                level="warning",
                kind="retract",
                pool=self._pools.kv.name,
                message=f"No free page: {len(victims)} of the newest requests were preempted.",
                sim_t=now_ns / 1e9,
                numbers={"retracted_reqs": len(victims), "running_reqs": len(self.running)},
            )
        )

    def _note_row_bound(self, now_ns: int) -> None:
        if self.prefill.blocked_by != "rows":
            self.row_bound_since_ns = None
        elif self.row_bound_since_ns is None:
            self.row_bound_since_ns = now_ns


VLLM = Policy("vllm", VllmScheduler, max_new_tokens)
