"""One scheduler iteration: prefill first, else decode; retract when the next step does not fit.

Mirrors: sglang 0.5.23 managers/scheduler.py (get_next_batch_to_run), managers/schedule_batch.py
    (retract_decode)
"""

import numpy as np

from app.engine.cache import RequestCache
from app.engine.ledger import EngineLedger
from app.engine.live_request import LiveRequest
from app.engine.new_token_ratio import NewTokenRatio
from app.engine.policies.rules import Rules
from app.engine.policies.sglang import allowed_new_tokens, retract_order
from app.engine.policy import Batch, Emit, Policy
from app.engine.pool_set import PoolSet
from app.engine.prefill import Portion, Prefill
from app.engine.quiet import Durations, quiet_durations
from app.engine.running_batch import RunningBatch
from app.engine.step_time import StepTime
from app.sizing.plan import PoolPlan
from app.wire.event import EngineEvent
from pools.allocation import alloc_for_decode, alloc_for_decode_steps, evict_for


class Scheduler:
    """Queue, running batch and the rules between them. Knows no arrivals and no wall clock."""

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
        self._time, self._rules = time, rules
        self._cache = RequestCache(pools, rules)
        self.running = RunningBatch()
        self.prefill = Prefill(plan, pools, self._cache, ledger, rules)
        self.ratio = NewTokenRatio(plan.schedule_conservativeness)
        self.row_bound_since_ns: int | None = None

    @property
    def idle(self) -> bool:
        """Nothing waits and nothing runs."""
        return not (self.prefill.waiting or self.prefill.chunked or len(self.running))

    def enqueue(self, live: LiveRequest) -> None:
        """A request joins the queue's end."""
        self.prefill.waiting.append(live)

    def iterate(self, now_ns: int, horizon_ns: int) -> tuple[Batch, Durations]:
        """Run one batch, or several decode steps that nothing can interrupt.

        Args:
            now_ns: when it begins.
            horizon_ns: no further step may begin at or after this.
        Returns:
            What it was, and how long each step takes, nanoseconds.
        """
        portions = self.prefill.choose(self.running, self.ratio.current)
        self._note_row_bound(now_ns)
        if portions:
            return "prefill", _once(self._run_prefill(portions, now_ns))
        if len(self.running):
            durations = quiet_durations(
                self.running, self.prefill, self._pools, self._time, now_ns, horizon_ns
            )
            if len(durations) > 1:
                self._run_quiet(len(durations))
                return "decode", durations
            return "decode", _once(self._run_decode(now_ns))
        self.ratio.on_idle()
        return "idle", _once(0)

    def need_next_pages(self) -> int:
        """Pages that the next decode step needs."""
        return self.running.crossing(self._plan.page_size)

    def _run_prefill(self, portions: list[Portion], now_ns: int) -> int:
        tokens = self.prefill.run(portions, now_ns)
        took = self._time.prefill(tokens)
        for portion in portions:
            live = portion.live
            if portion.last:
                live.out += 1
                last = int(self._pools.read_row(live.row, live.kv_len - 1, live.kv_len)[0])
                self.running.join(live, last)
        self._finish_done(now_ns + took)
        return took

    def _run_decode(self, now_ns: int) -> int:
        self._make_room(now_ns)
        running, pools = self.running, self._pools
        if not len(running):
            return self._time.decode(0, 0)
        rows, kv_len = running.column("row"), running.column("kv_len")
        last, rids = running.column("last_loc"), running.column("rid")
        ids = alloc_for_decode(pools.tree, pools.kv, kv_len + 1, last, rids)
        pools.write_column(rows, kv_len, ids)
        pools.kv.stamp(ids, rows, running.column("generation"), kv_len)
        took = self._time.decode(len(running), int(kv_len.sum()))
        kv_len += 1
        last[:] = ids
        running.column("out")[:] += 1
        self._ledger.add("decode_tokens_total", len(running))
        self.ratio.on_decode()
        self._finish_done(now_ns + took)
        return took

    def _run_quiet(self, steps: int) -> None:
        """Several decode steps in which nobody ends and nobody has to go."""
        running, pools = self.running, self._pools
        rows, kv_len = running.column("row"), running.column("kv_len")
        last, rids = running.column("last_loc"), running.column("rid")
        ids = alloc_for_decode_steps(pools.tree, pools.kv, kv_len, last, rids, steps)
        positions = kv_len + np.arange(steps)[:, None]
        pools.write_column(np.broadcast_to(rows, ids.shape), positions, ids)
        # Request after request: tokens of one page follow one another.
        writers = np.repeat(rows, steps), np.repeat(running.column("generation"), steps)
        pools.kv.stamp(ids.T.ravel(), *writers, positions.T.ravel())
        kv_len += steps
        last[:] = ids[-1]
        running.column("out")[:] += steps
        self._ledger.add("decode_tokens_total", steps * len(running))
        for _ in range(steps):
            self.ratio.on_decode()

    def _finish_done(self, now_ns: int) -> None:
        running = self.running
        done = np.flatnonzero(running.column("out") >= running.column("max_new"))
        if not done.size:
            return
        for live in running.leave(done.tolist()):
            self._ledger.decided(b"f", live.rid, now_ns, live.out)
            self._ledger.add("finished_total")
            self._ledger.add("backup_skipped_total", self._cache.keep_finished(live))
        self.prefill.batch_is_full = False

    def _make_room(self, now_ns: int) -> None:
        """Evict, then retract, until the next decode step fits."""
        pools, page = self._pools, self._plan.page_size
        need = self._rules.decode_need(self.running.crossing(page), page)
        evict_for(pools.tree, pools.kv, need)
        if pools.kv.available_size() >= need:
            return
        needed_pages = need // page
        free_pages = pools.kv.available_size() // page
        victims: list[LiveRequest] = []
        while len(self.running):
            order = retract_order(self.running.column("out"), self.running.column("input_len"))
            if len(self.running) == 1 and victims:
                break
            if len(self.running) == 1:
                self._abort_last(now_ns)
                return
            victims += self.running.leave(order[:1])
            victim = victims[-1]
            self._ledger.decided(b"r", victim.rid, now_ns, victim.out)
            self._cache.drop(victim)
            need = self._rules.decode_need(self.running.crossing(page), page)
            evict_for(pools.tree, pools.kv, need)
            if pools.kv.available_size() >= need:
                break
        gained = pools.kv.available_size() - free_pages * page
        self._requeue(victims, now_ns, needed_pages, free_pages, gained)
        if pools.kv.available_size() < need:
            self._abort_last(now_ns)

    def _requeue(
        self, victims: list[LiveRequest], now_ns: int, need: int, free: int, gained: int
    ) -> None:
        for live in victims:
            live.retractions += 1
            live.queued_ns = now_ns
        # As upstream: victims go to the end of the queue.
        self.prefill.waiting.extend(victims)
        self._ledger.add("retracted_total", len(victims))
        running, before = self.running, self.ratio.current
        self.ratio.on_retract(
            int(running.column("out").sum()), int(running.column("max_new").sum()), len(running)
        )
        self._emit(
            EngineEvent(
                level="warning",
                kind="retract",
                pool=self._pools.kv.name,
                code="retract-kv-pool-full",
                message=(
                    f"KV cache pool is full. Retract requests. #retracted_reqs: {len(victims)}, "
                    f"#new_tokens_gained: {gained}, "
                    f"#new_token_ratio: {before:.4f} -> {self.ratio.current:.4f}"
                ),
                sim_t=now_ns / 1e9,
                numbers={
                    "retracted_reqs": len(victims),
                    "needed_pages": need,
                    "free_pages": free,
                    "running_reqs": len(running),
                    "new_token_ratio": round(self.ratio.current, 4),
                },
            )
        )

    def _abort_last(self, now_ns: int) -> None:
        (live,) = self.running.leave([0])
        self._ledger.decided(b"x", live.rid, now_ns, live.out)
        self._ledger.add("aborted_total")
        self._cache.drop(live)
        self.prefill.batch_is_full = False
        self._emit(
            EngineEvent(
                level="error",
                kind="abort",
                pool=self._pools.kv.name,
                code="retract-last-request-aborted",
                message=(
                    "Out of memory even after retracting all other requests in the decode batch. "
                    "Aborting the last request."
                ),
                sim_t=now_ns / 1e9,
                numbers={"rid": live.rid, "kv_len": live.kv_len, "out": live.out},
            )
        )

    def _note_row_bound(self, now_ns: int) -> None:
        bound = self.prefill.blocked_by == "rows" and bool(self.prefill.waiting)
        if not bound:
            self.row_bound_since_ns = None
        elif self.row_bound_since_ns is None:
            self.row_bound_since_ns = now_ns


def _once(took_ns: int) -> Durations:
    return np.array([took_ns], np.int64)


SGLANG = Policy("sglang", Scheduler, allowed_new_tokens)
