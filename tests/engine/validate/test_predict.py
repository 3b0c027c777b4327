"""vLLM's rules on real pools against a server that only counts: the same to the nanosecond."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.engine.step_time import StepTime
from app.engine.validate.predict import plan_of, predict
from app.engine.validate.read_run import read_run
from tests.engine.validate.counted import Counted, Job, jobs, record

TIME = StepTime(14_000_000, 60_000, 90_000, 120)


def recorded(
    folder: Path, seed: int, blocks: int, seqs: int, ranks: int = 1, count: int = 80
) -> tuple[list[Counted], list[Job]]:
    """A run of the counting server, written to `folder`."""
    asked = jobs(count, seed)
    servers = [Counted(blocks, seqs, 1_024, 16, TIME) for _ in range(ranks)]
    for rank, server in enumerate(servers):
        server.run(asked[rank::ranks])
    flags: dict[str, Any] = {
        "max_num_seqs": seqs,
        "max_num_batched_tokens": 1_024,
        "data_parallel_size": ranks,
        "max_model_len": None,
    }
    record(folder, flags, servers, asked)
    return servers, asked


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("blocks", "seqs"), [(320, 64), (2_000, 12), (4_000, 64)])
def test_pools_decide_as_the_counting_server(
    tmp_path: Path, seed: int, blocks: int, seqs: int
) -> None:
    (server,), asked = recorded(tmp_path, seed, blocks, seqs)
    ours = predict(read_run(tmp_path), TIME)
    waits = np.array([job.scheduled_ns - job.queued_ns for job in asked]) / 1e9
    assert ours.waits_s.tolist() == waits.tolist()
    assert ours.end_s == server.log[-1][0] / 1e9
    assert ours.preempted == server.preempted
    assert ours.violations == 0


def test_a_short_pool_preempts_and_a_large_one_does_not(tmp_path: Path) -> None:
    (short,), _ = recorded(tmp_path, 0, 320, 64)
    assert short.preempted > 0
    assert predict(read_run(tmp_path), TIME).recomputed_total[-1] > 0
    recorded(tmp_path, 0, 8_000, 80)
    large = predict(read_run(tmp_path), TIME)
    assert large.preempted == 0
    assert large.recomputed_total[-1] == 0


def test_ticks_are_those_of_the_counting_server(tmp_path: Path) -> None:
    recorded(tmp_path, 1, 320, 64)
    run = read_run(tmp_path)
    ours = predict(run, TIME)
    count = len(run.ticks)
    assert ours.running[:count].tolist() == [tick.running for tick in run.ticks]
    assert ours.waiting[:count].tolist() == [tick.waiting for tick in run.ticks]
    reported = np.array([tick.occupancy_frac for tick in run.ticks], float)
    assert ours.occupancy_frac[:count] == pytest.approx(reported, abs=1e-4)


def test_ranks_take_requests_in_turn(tmp_path: Path) -> None:
    _, asked = recorded(tmp_path, 2, 400, 8, ranks=3)
    ours = predict(read_run(tmp_path), TIME)
    waits = np.array([job.scheduled_ns - job.queued_ns for job in asked]) / 1e9
    # Each rank's clock starts at its own first arrival, which rounds to a nanosecond.
    assert ours.waits_s == pytest.approx(waits, abs=1e-6)


def test_a_pool_size_that_is_not_recorded_is_never_short(tmp_path: Path) -> None:
    recorded(tmp_path, 0, 4_000, 16)
    meta = tmp_path / "meta.json"
    meta.write_text(meta.read_text().replace("num_gpu_blocks", "gone"))
    run = read_run(tmp_path)
    assert run.limits.kv_tokens is None
    assert "never short" in run.notes[0]
    longest = max(one.input_tokens + one.output_tokens for one in run.requests)
    assert plan_of(run).kv_tokens >= 16 * longest
    assert predict(run, TIME).preempted == 0
