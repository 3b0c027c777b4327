"""A measured run's requests through our pools, with its server's limits and vLLM's rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from app.engine.driver import Driver
from app.engine.step_time import StepTime
from app.engine.validate.measured import MeasuredRun
from app.engine.vllm_scheduler import VLLM, VllmScheduler
from app.engine.workload import Workload
from app.sizing.plan import PoolPlan, resolve
from app.sizing.server_args import ServerArgs
from app.traces.request import TraceRequest

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Prediction:
    """What the server would have said of itself, at each tick of the run and on to its own end.

    Attributes:
        running, waiting, occupancy_frac, recomputed_total: shape (ticks,), the first of them at
            the run's first tick.
        waits_s: queue wait of each request, in order of arrival.
        end_s: when the last request ended.
        violations: broken invariants of the pools.
    """

    running: Floats
    waiting: Floats
    occupancy_frac: Floats
    recomputed_total: Floats
    waits_s: Floats
    preempted: int
    end_s: float
    violations: int


def predict(run: MeasuredRun, step_time: StepTime) -> Prediction:
    """Replay to the end; requests go to the ranks in turn.

    Raises:
        FlagError: limits that no server could start with.
    """
    plan = plan_of(run)
    ranks = [_Rank(run, plan, step_time, rank) for rank in range(run.limits.ranks)]
    for rank in ranks:
        rank.run()
    ticks = max(len(rank.samples) for rank in ranks)
    total = np.zeros((ticks, 4))
    for rank in ranks:
        total[: len(rank.samples)] += np.array(rank.samples)
        # What was counted stays counted after a rank's end.
        total[len(rank.samples) :, 3] += rank.samples[-1][3]
    waits = np.zeros(len(run.requests))
    for rank in ranks:
        for rid, taken_ns, scheduled_ns in rank.scheduler.admissions:
            waits[rid] = (scheduled_ns - taken_ns) / 1e9
    return Prediction(
        running=total[:, 0],
        waiting=total[:, 1],
        occupancy_frac=total[:, 2] / len(ranks),
        recomputed_total=total[:, 3],
        waits_s=waits,
        preempted=sum(rank.driver.ledger.counts["retracted_total"] for rank in ranks),
        end_s=max(rank.driver.now_ns for rank in ranks) / 1e9,
        violations=sum(rank.driver.watch.violations for rank in ranks),
    )


def plan_of(run: MeasuredRun) -> PoolPlan:
    """One rank's pools. A KV size that is not recorded becomes one that cannot be short."""
    limits = run.limits
    longest = max(one.input_tokens + one.output_tokens for one in run.requests)
    pages = -(-longest // limits.block_size) + 1
    ample = limits.max_num_seqs * pages * limits.block_size
    return resolve(
        ServerArgs(
            max_running_requests=limits.max_num_seqs,
            page_size=limits.block_size,
            max_total_tokens=limits.kv_tokens or ample,
            context_length=limits.max_model_len or pages * limits.block_size,
            chunked_prefill_size=-1,
            max_prefill_tokens=limits.max_num_batched_tokens,
            disable_radix_cache=True,
            hicache_ratio=0.0,
            mm_feature_cache_mb=0,
        )
    )


class _Rank:
    """One data-parallel rank: every N-th request, sampled at the run's ticks."""

    def __init__(self, run: MeasuredRun, plan: PoolPlan, step_time: StepTime, rank: int) -> None:
        self._ticks = [tick.t_s for tick in run.ticks]
        self._count, self._rank, self._run = run.limits.ranks, rank, run
        workload = Workload(run.name, "replay", None, self._requests)
        self.driver = Driver(
            plan, workload, on_event=lambda event: None, step_time=step_time, policy=VLLM
        )
        self.scheduler = cast("VllmScheduler", self.driver.scheduler)
        self.samples: list[tuple[float, float, float, float]] = []

    def run(self) -> None:
        """To the end; a sample shows the state after the last step that ended by then."""
        driver, state = self.driver, (0.0, 0.0, 0.0, 0.0)
        alive = True
        while alive:
            alive = driver.step()
            while self._due_s() < driver.now_ns / 1e9:
                self.samples.append(state)
            state = self._state()
        self.samples.append(state)

    def _requests(self) -> Iterator[TraceRequest]:
        for rid, one in enumerate(self._run.requests):
            if rid % self._count == self._rank:
                at_ns = int(one.arrival_s * 1e9)
                yield TraceRequest(rid, at_ns, one.input_tokens, one.output_tokens)

    def _due_s(self) -> float:
        at, ticks = len(self.samples), self._ticks
        beyond = at - len(ticks) + 1
        return ticks[at] if beyond <= 0 else ticks[-1] + beyond * (ticks[-1] - ticks[-2])

    def _state(self) -> tuple[float, float, float, float]:
        kv = self.driver.set.kv
        return (
            len(self.scheduler.running),
            len(self.scheduler.prefill.waiting),
            1 - kv.available_size() / kv.size,
            self.scheduler.recomputed_tokens_total,
        )
