"""`make bench`: every `benchmarks/bench_*.py`, a line per figure.

A benchmark is one file that ends with `BENCH = <function that yields figures>`, and nothing else.
"""

import argparse
import importlib
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

# Two OpenMP threads on two cores wait for each other; set before numpy and torch are imported.
os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
import torch

from benchmarks.figure import Figure

Bench = Callable[[], Iterator[Figure]]
USAGE_EXIT = 2


def discover() -> dict[str, str]:
    """Benchmarks by short name, mapped to their module."""
    folder = Path(__file__).parent
    return {
        path.stem.removeprefix("bench_"): f"benchmarks.{path.stem}"
        for path in sorted(folder.glob("bench_*.py"))
    }


def load(module: str) -> Bench:
    """The benchmark of a module.

    Raises:
        ImportError: a module without BENCH, named with its path.
    """
    found = importlib.import_module(module)
    if not hasattr(found, "BENCH"):
        raise ImportError(f"{found.__file__} must define BENCH")
    bench: Bench = found.BENCH
    return bench


def main(argv: Sequence[str] | None = None) -> int:
    """0 when done; with --strict 1 when a target was missed; 2 for an unknown name."""
    known = discover()
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"which, of: {', '.join(known)} (default: all)")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a target is missed")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures there as well")
    args = parser.parse_args(argv)
    unknown = set(args.names) - set(known)
    if unknown:
        sys.stderr.write(
            f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(known)}\n"
        )
        return USAGE_EXIT
    torch.set_num_threads(1)
    print(machine())
    figures = [
        figure for name in args.names or known for figure in measure(name, load(known[name]))
    ]
    if args.json:
        args.json.write_text(json.dumps([asdict(figure) for figure in figures], indent=2) + "\n")
    missed = [figure for figure in figures if figure.missed]
    targets = sum(figure.target is not None for figure in figures)
    print(f"\nfigures: {len(figures)}, targets: {targets}, missed: {len(missed)}")
    for figure in missed:
        print(figure.line())
    return 1 if missed and args.strict else 0


def measure(name: str, bench: Bench) -> Iterator[Figure]:
    """The figures of one benchmark, each printed when it is there."""
    began = time.perf_counter()
    print(f"\n{name}")
    for figure in bench():
        print(f"  {figure.line()}".rstrip(), flush=True)
        yield figure
    print(f"  ({time.perf_counter() - began:.0f} s)")


def machine() -> str:
    """What the figures were measured on, in one line."""
    cores = os.cpu_count()
    return (
        f"{platform.machine()}, {cores} cores, Python {platform.python_version()}, "
        f"numpy {np.__version__}, torch {torch.__version__}, one thread"
    )


if __name__ == "__main__":
    sys.exit(main())
