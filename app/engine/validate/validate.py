"""A measured run against its prediction, and beside it what no fit and no model would have said."""

from pathlib import Path
from typing import Any

import numpy as np

from app.engine.step_time import StepTime
from app.engine.validate.compare import compare, targets
from app.engine.validate.fit import fit_step_time
from app.engine.validate.measured import MeasuredRun
from app.engine.validate.predict import Prediction, plan_of, predict
from app.engine.validate.read_run import read_run

SCOPE = (
    "This checks pools and arithmetic under vLLM's rules against a measured vLLM server. It says "
    "nothing of SGLang's admission, whose rules this run did not follow."
)


def validate(folder: Path) -> dict[str, Any]:
    """Replay the run in `folder` and compare.

    Returns:
        `run`, `model`, `server`, `binding_limit`, `peak_running`, `occupancy_mae_points`,
        `queue_wait_s` (whole run, step time fitted on its first half), `second_half` (the same
        figures of what was predicted blind), `defaults` (no fit), `trivial` (peak = limit),
        `targets`, `step_time`, `pools`, `scope`, `notes`.

    Raises:
        RunError, OSError: the folder is no measured run.
        FlagError: limits that no server could start with.
    """
    run = read_run(folder)
    plan_of(run)
    fitted = fit(run)
    prediction, plain = predict(run, fitted), predict(run, StepTime())
    figures, limit = compare(run, prediction), run.limits.max_running
    return {
        "run": run.name,
        "model": run.model,
        "server": _server(run),
        **figures,
        "targets": targets(figures),
        "second_half": {"from_s": run.half_s, **compare(run, prediction, run.half_s)},
        "defaults": {**compare(run, plain), "step_time": _shown(StepTime())},
        "trivial": {
            "binding_limit": {**figures["binding_limit"], "predicted": "slots"},
            "peak_running": {**figures["peak_running"], "predicted": limit},
        },
        "step_time": _shown(fitted),
        "pools": {"violations": prediction.violations, "preempted": prediction.preempted},
        "duration_s": {
            "predicted": round(prediction.end_s, 3),
            "measured": round(max(one.last_token_s for one in run.requests), 3),
        },
        "scope": SCOPE,
        "notes": list(run.notes),
    }


def fit(run: MeasuredRun) -> StepTime:
    """Step time from the first half, in two passes.

    A server does not report the prompts that it computes again after a preemption. The first pass
    leaves them out; its replay says how many there are, and the second takes them in.
    """
    first = fit_step_time(run, np.zeros(len(run.ticks)))
    return fit_step_time(run, _recomputed_per_s(run, predict(run, first)))


def _recomputed_per_s(run: MeasuredRun, prediction: Prediction) -> np.ndarray[Any, np.dtype[Any]]:
    times = np.array([tick.t_s for tick in run.ticks])
    total = prediction.recomputed_total
    ours = np.full(len(times), total[-1])
    ours[: len(total)] = total[: len(times)]
    return np.diff(ours, prepend=0.0) / np.diff(times, prepend=0.0)


def _server(run: MeasuredRun) -> dict[str, int | None]:
    limits = run.limits
    names = ("ranks", "max_num_seqs", "max_num_batched_tokens", "block_size", "kv_tokens")
    return {name: getattr(limits, name) for name in names}


def _shown(step_time: StepTime) -> dict[str, int]:
    names = ("base_ns", "prefill_token_ns", "decode_request_ns", "decode_context_token_ns")
    return {name: getattr(step_time, name) for name in names}
