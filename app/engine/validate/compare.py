"""Predicted against measured, by the same definitions on both sides."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.engine.validate.measured import MeasuredRun
from app.engine.validate.predict import Prediction

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

KV_FULL_FRAC = 0.99
PEAK_WITHIN_FRAC, OCCUPANCY_WITHIN_POINTS = 0.05, 5.0


def compare(run: MeasuredRun, prediction: Prediction, from_s: float = 0.0) -> dict[str, Any]:
    """The four figures over the ticks after `from_s` and the requests that first ran after it.

    The prediction is judged over its own length: a peak that comes late counts as well.
    """
    times = np.array([tick.t_s for tick in run.ticks])
    step = float(times[-1] - times[-2])
    own = np.concatenate((times, times[-1] + step * np.arange(1, len(prediction.running) + 1)))
    later = own[: len(prediction.running)] > from_s
    seen = times > from_s
    occupancy = _measured_occupancy(run)
    predicted_kv = prediction.occupancy_frac if run.limits.kv_tokens is not None else None
    running = np.array([tick.running for tick in run.ticks], float)
    waiting = np.array([tick.waiting for tick in run.ticks], float)
    ran = np.array([one.scheduled_s > from_s or from_s == 0.0 for one in run.requests])
    waits = np.array([one.wait_s for one in run.requests])
    limit = run.limits.max_running
    return {
        "binding_limit": {
            "predicted": binding(
                prediction.running, prediction.waiting, predicted_kv, limit, later
            ),
            "measured": binding(running, waiting, occupancy, limit, seen),
        },
        "peak_running": {
            "predicted": int(prediction.running[later].max(initial=0)),
            "measured": int(running[seen].max(initial=0)),
        },
        "occupancy_mae_points": occupancy_error(occupancy, prediction.occupancy_frac, seen),
        "queue_wait_s": {
            name: {
                "predicted": _quantile(prediction.waits_s[ran], q),
                "measured": _quantile(waits[ran], q),
            }
            for name, q in (("p50", 0.5), ("p95", 0.95))
        },
    }


def binding(
    running: Floats, waiting: Floats, occupancy: Floats | None, limit: int, where: Bools
) -> str:
    """What held requests back: `kv`, `slots` or `none`.

    `kv` when usage was at least 99 % with somebody waiting, else `slots` when as many ran as may
    with somebody waiting.
    """
    waits = (waiting > 0) & where
    if occupancy is not None and (waits & (occupancy >= KV_FULL_FRAC)).any():
        return "kv"
    return "slots" if (waits & (running >= limit)).any() else "none"


def occupancy_error(measured: Floats | None, predicted: Floats, where: Bools) -> float | None:
    """Mean absolute error of KV usage, percentage points; None where it is not reported."""
    if measured is None or not where.any():
        return None
    ours = np.zeros(len(measured))
    count = min(len(measured), len(predicted))
    ours[:count] = predicted[:count]
    return round(float(np.abs(ours - measured)[where].mean()) * 100, 3)


def targets(figures: dict[str, Any]) -> dict[str, bool | None]:
    """Whether the figures are as close as they should be; None: nothing to compare."""
    limit, peak = figures["binding_limit"], figures["peak_running"]
    points = figures["occupancy_mae_points"]
    off = abs(peak["predicted"] - peak["measured"])
    return {
        "binding_limit_right": limit["predicted"] == limit["measured"],
        "peak_within_5_percent": off <= PEAK_WITHIN_FRAC * peak["measured"],
        "occupancy_within_5_points": None if points is None else points <= OCCUPANCY_WITHIN_POINTS,
    }


def _measured_occupancy(run: MeasuredRun) -> Floats | None:
    shown = [tick.occupancy_frac for tick in run.ticks]
    return None if None in shown else np.array(shown, float)


def _quantile(values: Sequence[float] | Floats, q: float) -> float | None:
    return round(float(np.quantile(values, q)), 4) if len(values) else None
