"""All kinds against plain models, in any order of calls.

After every step: snapshots equal the model and add up, books audited, generations never less.
Within a step: no unit handed out twice, the order of ids, alignment, a failing call changes
nothing. `python -m tests.pools.random_walk --operations 1000000` walks much further, as does
POOLSCOPE_STATE_STEPS=1000000.
"""

import os

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.pools.machines.conserved import Conserved
from tests.pools.random_walk import MACHINES, walk_all

STEPS = int(os.environ.get("POOLSCOPE_STATE_STEPS", "7000"))


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.__name__)
def test_pool_equals_its_model(machine: type[Conserved]) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=40, stateful_step_count=40))


@pytest.mark.timeout(max(120, STEPS // 200))
def test_pools_equal_their_models_on_a_long_walk() -> None:
    assert walk_all(STEPS, seed=1) == (STEPS, 0)
