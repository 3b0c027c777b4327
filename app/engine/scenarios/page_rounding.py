"""Whole pages run out while far more tokens are free than are asked for."""

from collections.abc import Iterator

import numpy as np

from app.engine.scenario import Scenario
from app.traces.request import TraceRequest

PAGE, JOBS, EVERY_S, OUTPUT = 1_024, 72, 9.0, 420


def requests(seed: int) -> Iterator[TraceRequest]:
    """Batch jobs: 72 requests of one template at once, then nothing for nine seconds."""
    rng = np.random.default_rng(seed)
    rid, t_s = 0, 1.0
    while True:
        prompt = PAGE - int(rng.integers(60, 180))
        for _ in range(JOBS):
            yield TraceRequest(rid, int(t_s * 1e9), prompt, OUTPUT)
            rid += 1
        t_s += EVERY_S


SCENARIO = Scenario(
    name="page-rounding",
    title="Page rounding",
    look="Jobs of one length decode in step on pages of 1,024 tokens, so all cross into their next "
    "page at once. Watch requests being retracted although tens of thousands of tokens are free "
    "and the step asks for 72: it needs 72 pages.",
    requests=requests,
    server={"page_size": PAGE, "max_total_tokens": 128 * PAGE, "hicache_ratio": 0.0},
)
