"""`python -m tests.pools.random_walk --operations 1000000`: the state machines, for long."""

import argparse
import sys
import traceback

import torch
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.pools.machines.conserved import Conserved
from tests.pools.test_state_machine import MACHINES

STEPS = 100
#: hypothesis ends some walks early; more are asked for until the operations are done
EXAMPLES = 200


def walk(machine: type[Conserved], operations: int) -> None:
    """Run one machine until it has made so many steps.

    Raises:
        AssertionError: a promise was broken; hypothesis shows the shortest way there.
    """
    asked = settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        deadline=None,
        database=None,
        derandomize=False,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    begun = Conserved.steps_total
    while Conserved.steps_total - begun < operations:
        run_state_machine_as_test(machine, settings=asked)


def main() -> int:
    """1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=100_000)
    operations = parser.parse_args().operations
    torch.set_num_threads(1)
    violations = 0
    for machine in MACHINES:
        before = Conserved.steps_total
        try:
            walk(machine, operations // len(MACHINES))
        except AssertionError:
            traceback.print_exc()
            violations += 1
        print(f"{machine.__name__}: {Conserved.steps_total - before:,} operations", flush=True)
    print(f"{Conserved.steps_total:,} operations, {violations} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
