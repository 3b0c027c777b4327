"""`python -m tests.pools.random_walk --operations 1000000`: the machines by plain chance, for long.

Other than hypothesis, which begins anew every few dozen steps, a walk goes on: slots wear out,
rounds wrap, heaps fill with what is stale. What it finds is repeated by its seed.
"""

import argparse
import random
import sys
import traceback

import torch

from tests.pools.machines.conserved import Conserved
from tests.pools.machines.draws import plain
from tests.pools.machines.features import Features
from tests.pools.machines.kv import Kv, KvByToken, KvByTokenSorted, KvSorted
from tests.pools.machines.rows import RowsAndHost
from tests.pools.machines.tree import Tree

MACHINES = (RowsAndHost, Kv, KvSorted, KvByToken, KvByTokenSorted, Features, Tree)
#: steps of one machine before a new one takes over
HISTORY = 20_000
#: of so many draws of a rare rule, one is made
RARELY = 100


def is_rule(value: object) -> bool:
    """Whether `draws.rule` made it."""
    return hasattr(value, "rarely")


def walk(machine: type[Conserved], operations: int, seed: int) -> None:
    """Take one machine through its rules, and check it after each.

    Raises:
        AssertionError: a promise was broken; the last steps are printed.
    """
    chance = random.Random(seed)
    one = machine()
    rules = [rule for base in machine.__mro__ for rule in vars(base).values() if is_rule(rule)]
    one.conserved()
    last: list[str] = []
    done = 0
    while done < operations:
        rule = chance.choice(rules)
        if rule.rarely and chance.randrange(RARELY):
            continue
        arguments = {name: plain(of, chance) for name, of in rule.plain_arguments.items()}
        last = [*last[-9:], f"{rule.__name__}({arguments})"]
        try:
            rule(one, **arguments)
            one.conserved()
            one.generations_only_grow()
        except Exception:
            print(f"{machine.__name__}, seed {seed}, step {done}, after:", *last, sep="\n  ")
            raise
        done += 1
    one.teardown()


def walk_all(operations: int, seed: int) -> tuple[int, int]:
    """Share operations among the machines; how many were made, and how many broke a promise."""
    made = violations = 0
    for at, machine in enumerate(MACHINES):
        share = operations // len(MACHINES) + (at < operations % len(MACHINES))
        for history, start in enumerate(range(0, share, HISTORY)):
            steps = min(HISTORY, share - start)
            try:
                walk(machine, steps, seed + history)
            except Exception:  # noqa: BLE001 - whatever ends a walk is a broken promise
                traceback.print_exc()
                violations += 1
            made += steps
        print(f"{machine.__name__}: {share:,} operations", flush=True)
    return made, violations


def main() -> int:
    """1 when a promise was broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--operations", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(1)
    made, violations = walk_all(args.operations, args.seed)
    print(f"{made} operations, {violations} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
