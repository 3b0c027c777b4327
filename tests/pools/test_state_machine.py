"""All kinds against plain models, in any order of calls that hypothesis finds.

After every step: conserved by independent books, audited, generations never less. Within a step:
no unit handed out twice, alignment, a failing call changes nothing, snapshots equal the model.
`python -m tests.pools.random_walk --operations 1000000` walks much further.
"""

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.pools.machines.conserved import Conserved
from tests.pools.machines.features import Features
from tests.pools.machines.kv import Kv, KvByToken, KvByTokenSorted, KvSorted
from tests.pools.machines.rows import RowsAndHost
from tests.pools.machines.tree import Tree

MACHINES = (RowsAndHost, Kv, KvSorted, KvByToken, KvByTokenSorted, Features, Tree)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda machine: machine.__name__)
def test_pool_equals_its_model(machine: type[Conserved]) -> None:
    run_state_machine_as_test(machine, settings=settings(max_examples=40, stateful_step_count=40))
