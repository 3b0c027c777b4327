"""`make conformance`: random operation sequences on SGLang's classes and on ours, compared.

Runs in the environment of `make setup-conformance`. The last line sums up; the exit code is 1 when
anything differed that `docs/differences.md` does not name.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence

os.environ["OMP_NUM_THREADS"] = "1"

import torch

from pools.base import discover
from tests.conformance import pairs
from tests.conformance.both_sides import our_problem, their_problem
from tests.conformance.differences import BOTH, STRICT
from tests.conformance.upstream import VERSION, classes
from tests.conformance.walk import Difference, Pair, walk

#: differences told in full, per pair
TOLD = 3


def compare_pair(
    name: str, pair: Pair, sequences: int, operations: int, seed: int
) -> tuple[int, int, list[Difference]]:
    """At least so many sequences over all setups of a pair; sequences, operations, differences."""
    setups = list(pair.setups())
    found: list[Difference] = []
    made = steps = 0
    while made < sequences:
        for setup in setups:
            count, difference = walk(pair, setup, seed + made, operations)
            made += 1
            steps += count
            if difference is not None:
                found.append(difference)
    return made, steps, found


def deliberate() -> list[int]:
    """Every row of docs/differences.md on both sides; sequences, operations, what did not hold."""
    rows = [*STRICT, *BOTH]
    problems = {row.row: our_problem(row) or their_problem(row) for row in rows}
    found = {name: problem for name, problem in problems.items() if problem is not None}
    print(f"{len(rows)} deliberate differences, {len(found)} not as docs/differences.md says")
    for name, problem in found.items():
        print(f"  {name}: {problem}")
    return [len(rows), sum(len(row.before) + 1 for row in rows), len(found)]


def main(argv: Sequence[str] | None = None) -> int:
    """0 all alike, 1 something differed."""
    known = discover(pairs, "PAIR")
    parser = argparse.ArgumentParser(prog="make conformance", description=__doc__)
    parser.add_argument("pairs", nargs="*", choices=[*known, []], help="which (default: all)")
    parser.add_argument("--sequences", type=int, default=2000, help="per pair, at least")
    parser.add_argument("--operations", type=int, default=80, help="per sequence")
    parser.add_argument("--seed", type=int, default=0, help="of the first sequence")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    classes()
    print(f"SGLang {VERSION}, torch {torch.__version__}")
    totals = deliberate()
    for name in args.pairs or known:
        began = time.perf_counter()
        made, steps, found = compare_pair(
            name, known[name], args.sequences, args.operations, args.seed
        )
        spent = time.perf_counter() - began
        print(
            f"{name:<10} {made:>6} sequences {steps:>9} operations {len(found):>4} differences "
            f"{spent:6.1f} s",
            flush=True,
        )
        for difference in found[:TOLD]:
            print(f"  {name}: {difference}")
        totals = [
            total + more for total, more in zip(totals, (made, steps, len(found)), strict=True)
        ]
    print(f"{totals[0]} sequences, {totals[1]} operations, {totals[2]} unexplained differences")
    return 1 if totals[2] else 0


if __name__ == "__main__":
    sys.exit(main())
