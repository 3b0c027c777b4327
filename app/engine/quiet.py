"""How many decode steps nothing can interrupt, so that they can run as one.

Nobody arrives, ends, is admitted or retracted within them; the counts are those of single steps.
"""

import numpy as np
from numpy.typing import NDArray

from app.engine.pool_set import PoolSet
from app.engine.prefill import Prefill
from app.engine.running_batch import RunningBatch
from app.engine.step_time import StepTime

MAX_STEPS = 256

Durations = NDArray[np.int64]


def quiet_durations(
    running: RunningBatch,
    prefill: Prefill,
    pools: PoolSet,
    time: StepTime,
    now_ns: int,
    horizon_ns: int,
) -> Durations:
    """Nanoseconds that each step takes, shape (steps,); one step when more are not certain.

    Args:
        running: who decodes.
        prefill: must have nothing to admit.
        pools: must have room for all steps, free or evictable.
        time: the model of a step's duration.
        now_ns: when the first step begins.
        horizon_ns: no step but the first may begin at or after this.
    """
    most = 1 if may_admit(prefill) else min(steps_to_first_end(running), MAX_STEPS)
    context = int(running.column("kv_len").sum())
    step = np.arange(max(most, 1))
    durations: Durations = time.decode(len(running), context + step * len(running))
    begins = now_ns + np.cumsum(durations) - durations
    fit = int(np.count_nonzero(begins[1:] < horizon_ns)) + 1
    while fit > 1 and not has_room(running, pools, fit):
        fit //= 2
    return durations[:fit]


def may_admit(prefill: Prefill) -> bool:
    """Whether the next round could let somebody in."""
    if prefill.chunked is not None:
        return True
    return bool(prefill.waiting) and not prefill.batch_is_full


def steps_to_first_end(running: RunningBatch) -> int:
    """Steps before the one in which the first request ends; that one runs by itself."""
    return int((running.column("max_new") - running.column("out")).min()) - 1


def has_room(running: RunningBatch, pools: PoolSet, steps: int) -> bool:
    """Whether no step would retract: each asks for a page per request, beside those taken."""
    page, lengths = pools.kv.page_size, running.column("kv_len")
    taken = int((-(-(lengths + steps - 1) // page) - -(-lengths // page)).sum())
    return (len(running) + taken) * page <= pools.reclaimable()
