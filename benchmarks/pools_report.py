"""`make bench-pools`: how our pools compare, call by call, and how they grow and stall.

The last line gives the figures of the project's targets; `:MISSED` follows what misses its own.
"""

import argparse
import os
import sys
from collections.abc import Sequence

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import torch

from benchmarks import bench_growth, bench_pools, bench_snapshot, bench_stalls, run
from benchmarks.figure import Figure
from benchmarks.peers.chosen import peers


def main(argv: Sequence[str] | None = None) -> int:
    """0 when done; with --strict 1 when a target was missed."""
    parser = argparse.ArgumentParser(prog="make bench-pools", description=__doc__)
    parser.add_argument("--strict", action="store_true", help="exit 1 when a target is missed")
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    print(f"{run.machine()}; peers: {peers().NAME}")
    figures: list[Figure] = []
    for module in (bench_pools, bench_stalls, bench_growth, bench_snapshot):
        figures += run.measure(module.__name__.rpartition("bench_")[2], module.BENCH)
    print(summary(figures))
    return 1 if args.strict and any(figure.missed for figure in figures) else 0


def summary(figures: Sequence[Figure]) -> str:
    """The last line, from the figures of all four benchmarks."""
    by_name = {figure.name: figure for figure in figures}
    growth = [figure for figure in figures if figure.name.startswith(bench_growth.PREFIX)]
    parts = {
        "geomean": [by_name[bench_pools.MEAN]],
        "worst": [by_name[bench_pools.WORST]],
        "stalls": [by_name[name] for name in bench_stalls.NAMES],
        "growth": [max(growth, key=lambda figure: figure.value)],
        "snapshot_ms": [by_name[name] for name in bench_snapshot.NAMES],
    }
    return " ".join(f"{name}={','.join(map(_short, found))}" for name, found in parts.items())


def _short(figure: Figure) -> str:
    return f"{figure.value:.3g}{':MISSED' if figure.missed else ''}"


if __name__ == "__main__":
    sys.exit(main())
