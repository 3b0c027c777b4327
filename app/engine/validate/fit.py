"""Step time from the first half of a measured run, by least squares over its seconds.

In a busy second the parts of all steps add up to one second:

    1 = steps * base + prompt tokens * a + output tokens * b + context tokens read * c

The number of steps is output tokens over running requests. Coefficients are not negative.
"""

import itertools

import numpy as np
from numpy.typing import NDArray

from app.engine.step_time import StepTime
from app.engine.validate.measured import MeasuredRun

Floats = NDArray[np.float64]
NS = 1e9


def fit_step_time(run: MeasuredRun, recomputed: Floats) -> StepTime:
    """Coefficients that explain the ticks up to the middle of the run; nothing later is looked at.

    Args:
        run: what was measured.
        recomputed: prompt tokens per second of each tick that a preemption made the server compute
            again, which it does not report, shape (ticks,).
    """
    contexts, running, ranks = mean_context(run), mean_running(run), run.limits.ranks
    rows = [
        (
            tick.output_per_s / ran,
            (tick.prompt_per_s + again) / ranks,
            tick.output_per_s / ranks,
            tick.output_per_s * context / ranks,
        )
        for tick, ran, context, again in zip(run.ticks, running, contexts, recomputed, strict=True)
        # The first second began with nothing to do.
        if tick is not run.ticks[0] and tick.t_s <= run.half_s and ran and tick.output_per_s
    ]
    if not rows:
        return StepTime()
    base, prompt, output, context = non_negative(np.array(rows), np.ones(len(rows)))
    return StepTime(
        base_ns=max(round(base * NS), 1),
        prefill_token_ns=round(prompt * NS),
        decode_request_ns=round(output * NS),
        decode_context_token_ns=round(context * NS),
    )


def mean_running(run: MeasuredRun) -> Floats:
    """Requests that ran during each tick's second, shape (ticks,): a tick shows its end only."""
    ends = np.array([tick.running for tick in run.ticks], float)
    return (ends + np.concatenate(([0.0], ends[:-1]))) / 2


def mean_context(run: MeasuredRun) -> Floats:
    """Tokens in the cache of a request that decodes, averaged, for each tick, shape (ticks,).

    A request's output so far is the measured pace since its first token; its end is looked at only
    once it has come.
    """
    times = np.array([tick.t_s for tick in run.ticks])
    output = np.array([tick.output_per_s for tick in run.ticks])
    pace = np.cumsum(output / np.maximum(mean_running(run), 1))
    first = np.array([one.first_token_s for one in run.requests])
    last = np.array([one.last_token_s for one in run.requests])
    prompt = np.array([one.input_tokens for one in run.requests])
    begun = np.interp(first, times, pace, left=0.0)
    contexts = np.zeros(len(times))
    for at, t_s in enumerate(times):
        decodes = (first <= t_s) & (t_s < last)
        if decodes.any():
            contexts[at] = (prompt + pace[at] - begun)[decodes].mean()
    return contexts


def non_negative(columns: Floats, target: Floats) -> Floats:
    """Least squares with no coefficient below zero: the best over all sets of columns.

    Args:
        columns: shape (rows, n) with small n.
        target: shape (rows,).
    Returns:
        Coefficients, shape (n,).
    """
    scale = np.maximum(columns.max(axis=0), 1e-300)
    scaled, count = columns / scale, columns.shape[1]
    best, coefficients = np.inf, np.zeros(count)
    for size in range(1, count + 1):
        for chosen in itertools.combinations(range(count), size):
            found = np.linalg.lstsq(scaled[:, chosen], target, rcond=None)[0]
            if (found < 0).any():
                continue
            missed = float(np.square(scaled[:, chosen] @ found - target).sum())
            if missed < best - 1e-12:
                best, coefficients = missed, np.zeros(count)
                coefficients[list(chosen)] = found
    result: Floats = coefficients / scale
    return result
