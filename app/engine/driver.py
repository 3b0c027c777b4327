"""The engine: arrivals, features, scheduler and clock over one set of pools.

Time is an integer of simulated nanoseconds and contains no host time; the same workload, seed and
flags give the same decisions at any pace.
"""

from collections.abc import Callable
from typing import Any

from app.engine.faults import fault
from app.engine.intake import Intake
from app.engine.ledger import EngineLedger
from app.engine.mm_stage import MmStage
from app.engine.policies.rules import Rules
from app.engine.policy import Policy
from app.engine.pool_set import PoolSet
from app.engine.quiet import Durations
from app.engine.request_table import request_rows
from app.engine.scheduler import SGLANG
from app.engine.step_time import StepTime
from app.engine.watch import Watch
from app.engine.workload import Workload
from app.sizing.plan import PoolPlan, resolve
from app.sizing.server_args import ServerArgs, suited
from app.wire.event import EngineEvent
from pools.errors import PoolError

#: with nothing to do, time goes on at most this far, so that pools and page keep moving
IDLE_NS = 50_000_000
#: what a story said is news for so long
CAPTION_NS = 60_000_000_000
SEVERITY = {"alloc-req-slots-exhausted": "critical"}


class Driver:
    """One modelled server under one workload. Not thread-safe; one thread owns it."""

    def __init__(
        self,
        plan: PoolPlan,
        workload: Workload,
        *,
        on_event: Callable[[EngineEvent], None],
        step_time: StepTime | None = None,
        policy: Policy = SGLANG,
    ) -> None:
        self.plan, self.workload, self.policy = plan, workload, policy
        self.now_ns = 0
        self.steps = 0
        self.batch = "idle"
        self.caption, self._caption_ns = "", 0
        self.set = PoolSet.build(plan)
        self.pools = self.set.by_name()
        self.ledger = EngineLedger()
        self._on_event = on_event
        self.rules = Rules()
        self.scheduler = policy.scheduler(
            plan, self.set, self.ledger, self.emit, step_time or StepTime(), self.rules
        )
        self.features = (
            MmStage(self.set.features, plan.args.mm_consumers, self.ledger)
            if self.set.features is not None
            else None
        )
        self._intake = Intake(self)
        self.watch = Watch(self)
        self._story = workload.story() if workload.story else None

    def step(self, until_ns: int = 0) -> bool:
        """One scheduler iteration; False when every request has ended and no lease is left.

        Args:
            until_ns: decode steps that nothing can interrupt and that begin before this are run
                as one. The counts are the same without; token ids may differ.
        """
        self._intake.take_due()
        if self.features is not None:
            self.features.advance(self.now_ns)
        self.batch, durations = self._iterate(self._horizon(until_ns))
        for took in durations[:-1].tolist():
            self.now_ns += took
            if self.features is not None:
                self.features.advance(self.now_ns)
        self.now_ns += int(durations[-1])
        if self.batch == "idle" and not self._skip_ahead(self._horizon(until_ns)):
            self.watch.audit()
            return False
        self.steps += len(durations)
        self.watch.after_step()
        if self._story is not None:
            self._story.after_step(self)
        return True

    def emit(self, event: EngineEvent) -> None:
        """Pass an event on, and count it by code."""
        if event.code and event.kind in ("error", "abort", "reject"):
            self.ledger.errors[event.code] += 1
        if event.kind == "mark":
            self.caption, self._caption_ns = event.message, self.now_ns
        self._on_event(event)

    def raised(self, error: PoolError, pool: str, injected: str | None = None) -> None:
        """An error that a pool raised; the engine notes it and goes on."""
        numbers = dict(error.numbers)
        if injected:
            numbers["injected"] = injected
        self.emit(
            EngineEvent(
                level="critical" if SEVERITY.get(error.code) else "error",
                kind="error",
                pool=pool,
                code=error.code,
                message=str(error),
                sim_t=self.now_ns / 1e9,
                numbers=numbers,
            )
        )

    def inject(self, name: str, **params: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
        """Bring about a fault.

        Raises:
            ValueError, TypeError: no such fault, or parameters it does not take.
        """
        return fault(name).inject(self, **params)

    def requests(self, limit: int) -> list[dict[str, Any]]:
        """Rows of the request table: running first, then waiting."""
        return request_rows(self, limit)

    def stats(self) -> dict[str, Any]:
        """The engine's scalars, JSON-ready; cheap enough for every sample."""
        counts, scheduler = self.ledger.counts, self.scheduler
        bound = scheduler.row_bound_since_ns
        p50, p95 = self.ledger.wait_quantiles_s()
        totals = (
            "arrived_total", "finished_total", "rejected_total", "aborted_total", "retracted_total",
            "prefix_hit_tokens_total", "prompt_tokens_total", "decode_tokens_total",
            "mm_leases_total", "mm_fallbacks_total", "backup_skipped_total",
        )  # fmt: skip
        return {
            "sim_t": self.now_ns / 1e9,
            "step": self.steps,
            "batch": self.batch,
            "running_reqs": len(scheduler.running),
            "queued_reqs": len(scheduler.prefill.waiting) + (scheduler.prefill.chunked is not None),
            **{name: counts[name] for name in totals},
            "need_next_pages": scheduler.need_next_pages(),
            "new_token_ratio": round(scheduler.ratio.current, 6),
            "admission_blocked_by": scheduler.prefill.blocked_by,
            "row_bound_since": None if bound is None else bound / 1e9,
            "queue_wait_p50_s": p50,
            "queue_wait_p95_s": p95,
            "violations_total": self.watch.violations,
            "caption": self.caption if self.now_ns - self._caption_ns < CAPTION_NS else "",
            "workload": self.workload.describe(),
        }

    def _horizon(self, until_ns: int) -> int:
        # A story looks at the driver after every step, and leases come back between steps.
        if self._story is not None or (self.features is not None and self.features.leased):
            return self.now_ns
        arrival = self._intake.next_ns
        return until_ns if arrival is None else min(until_ns, arrival)

    def _iterate(self, horizon_ns: int) -> tuple[str, Durations]:
        try:
            return self.scheduler.iterate(self.now_ns, horizon_ns)
        except PoolError as error:
            # Serving would die here. The page shows it, so the engine says it and ends the run.
            self.raised(error, self.set.kv.name)
            raise

    def _skip_ahead(self, until_ns: int) -> bool:
        """With nothing to run, move to what comes next; False when nothing does.

        A silence is crossed in short steps, so that whoever watches sees it; those that end before
        `until_ns` are taken as one, and the recycler's passes keep their beat.
        """
        due = [at for at in (self._intake.next_ns, self._feature_due()) if at is not None]
        if not due:
            return False
        steps = 1
        if self.plan.args.mm_recycle_interval_s * 1e9 <= IDLE_NS:
            steps = max((min(min(due), until_ns) - self.now_ns) // IDLE_NS, 1)
        self.steps += steps - 1
        self.now_ns = max(self.now_ns + 1, min(min(due), self.now_ns + steps * IDLE_NS))
        return True

    def _feature_due(self) -> int | None:
        if self.features is None:
            return None
        due = self.features.next_due_ns
        if due is None and self.features.pool.snapshot(self.now_ns / 1e9).held:
            return self.now_ns + int(self.plan.args.mm_recycle_interval_s * 1e9)
        return due


def build_driver(
    args: ServerArgs,
    make_workload: Callable[[], Workload],
    *,
    on_event: Callable[[EngineEvent], None],
    step_time: StepTime | None = None,
) -> Driver:
    """Size the pools, read the workload, build the engine.

    Raises:
        FlagError, TraceError, ValueError: nothing is built.
    """
    plan = resolve(args)
    workload = make_workload()
    if workload.server:
        plan = resolve(suited(args, workload.server))
    return Driver(plan, workload, on_event=on_event, step_time=step_time)
