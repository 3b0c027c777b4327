"""The fit finds what made the numbers, looks at the first half only, and never goes below zero."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.engine.step_time import StepTime
from app.engine.validate.fit import fit_step_time, mean_context, non_negative
from app.engine.validate.read_run import read_run
from tests.engine.validate.test_predict import recorded


def test_non_negative_finds_exact_coefficients() -> None:
    rng = np.random.default_rng(0)
    columns = rng.uniform(1, 100, (50, 4))
    wanted = np.array([0.5, 0.0, 2e-3, 7.0])
    assert non_negative(columns, columns @ wanted) == pytest.approx(wanted, abs=1e-9)


def test_non_negative_leaves_out_what_would_be_below_zero() -> None:
    rng = np.random.default_rng(1)
    columns = rng.uniform(1, 100, (50, 2))
    found = non_negative(columns, columns @ np.array([3.0, -1.0]))
    assert (found >= 0).all()
    assert found[1] == 0


def test_fit_predicts_the_length_of_a_decode_step(tmp_path: Path) -> None:
    recorded(tmp_path, 0, 4_000, 64)
    run = read_run(tmp_path)
    found = fit_step_time(run, np.zeros(len(run.ticks)))
    # By its parts the fit is not unique; what a step of this run takes is.
    for requests, context in ((10, 6_000), (30, 20_000)):
        wanted = StepTime(14_000_000, 60_000, 90_000, 120).decode(requests, context)
        assert found.decode(requests, context) == pytest.approx(wanted, rel=0.1)


def test_fit_does_not_look_at_the_second_half(tmp_path: Path) -> None:
    recorded(tmp_path, 0, 4_000, 64)
    run = read_run(tmp_path)
    spoilt = replace(
        run,
        ticks=tuple(
            tick if tick.t_s <= run.half_s else replace(tick, output_per_s=1.0, running=500)
            for tick in run.ticks
        ),
        requests=tuple(
            one if one.last_token_s <= run.half_s else replace(one, last_token_s=10_000.0)
            for one in run.requests
        ),
    )
    zeros = np.zeros(len(run.ticks))
    assert fit_step_time(spoilt, zeros) == fit_step_time(run, zeros)


def test_context_is_prompt_and_output_so_far(tmp_path: Path) -> None:
    recorded(tmp_path, 0, 4_000, 64)
    run = read_run(tmp_path)
    contexts = mean_context(run)
    decoding = [
        [one for one in run.requests if one.first_token_s <= tick.t_s < one.last_token_s]
        for tick in run.ticks
    ]
    for context, now, tick in zip(contexts, decoding, run.ticks, strict=True):
        if len(now) < 5:
            continue
        share = [
            (tick.t_s - one.first_token_s) / (one.last_token_s - one.first_token_s) for one in now
        ]
        wanted = np.mean(
            [one.input_tokens + s * one.output_tokens for one, s in zip(now, share, strict=True)]
        )
        assert context == pytest.approx(wanted, rel=0.15)
