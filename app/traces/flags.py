"""How a trace is read, as flags of every verb that takes one."""

import argparse

from app.traces.options import ROUNDINGS, SCOPES, ReadOptions

_CHOICES = (
    ("--time-unit", ("ns", "us", "ms", "s"), "unit of the timestamps"),
    ("--rounding", ROUNDINGS, "whether a last, partial block has a hash id"),
    ("--hash-scope", SCOPES, "where equal hash ids mean equal prefixes"),
)


def add_trace_flags(parser: argparse.ArgumentParser) -> None:
    """Add the fields of `ReadOptions` but the seed, in a group of their own."""
    group = parser.add_argument_group("trace", "told from the file unless given")
    for flag, choices, about in _CHOICES:
        listed = f"{about}: {', '.join(choices)}"
        group.add_argument(flag, choices=choices, metavar="NAME", help=listed)
    group.add_argument("--block-size", type=int, metavar="N", help="tokens per hash id")
    group.add_argument(
        "--arrivals",
        metavar="poisson:RATE",
        help="draw arrivals, requests/s; needed when the file has none",
    )
    group.add_argument(
        "--spread-ticks",
        action="store_true",
        help="spread arrivals that share a tick of the log (Mooncake: 3 s) up to the next tick",
    )
    group.add_argument(
        "--window",
        metavar="START:END",
        help="seconds of a table of rates (ServeGen) that become requests; default the first hour "
        "that is not idle",
    )


def options_from(args: argparse.Namespace) -> ReadOptions:
    """The options of a parsed command line.

    Raises:
        ValueError: one is out of range.
    """
    return ReadOptions(
        time_unit=args.time_unit,
        block_size=args.block_size,
        rounding=args.rounding,
        hash_scope=args.hash_scope,
        arrivals=args.arrivals,
        spread_ticks=args.spread_ticks,
        window=args.window,
        seed=args.seed,
    )
