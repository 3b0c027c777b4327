"""Server flags on a command line, under SGLang's own names."""

import argparse
import dataclasses
from collections.abc import Callable

from app.sizing.byte_size import parse_bytes, show_bytes
from app.sizing.server_args import (
    CHECKS,
    DISAGGREGATION_MODES,
    EVICTION_POLICIES,
    ServerArgs,
)

DEFAULTS = ServerArgs()


def _rows(text: str) -> int | None:
    return None if text == "auto" else int(text)


def _bytes(text: str) -> int:
    try:
        return parse_bytes(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


_rows.__name__ = 'whole number (or "auto")'

#: flag, type, metavar, help; the field and its default follow from the flag's name
_NUMBERS: tuple[tuple[str, Callable[[str], object], str, str], ...] = (
    ("--max-running-requests", _rows, "N", 'request rows; "auto" derives them from the tokens'),
    ("--page-size", int, "N", "tokens per KV page"),
    ("--max-total-tokens", int, "N", "KV capacity, tokens"),
    ("--context-length", int, "N", "longest request, tokens"),
    ("--chunked-prefill-size", int, "N", "prompt tokens of one prefill step; -1: no chunks"),
    ("--max-prefill-tokens", int, "N", "prompt tokens of one prefill batch"),
    ("--schedule-conservativeness", float, "X", "scales the reserve for tokens still to come"),
    ("--hicache-ratio", float, "X", "host tokens per device token; 0: no host pool"),
    ("--max-queued-requests", int, "N", "requests that may wait; no limit unless given"),
    ("--mm-feature-cache-mb", int, "MIB", "multimodal feature pool, MiB; 0: none"),
    ("--mm-consumers", int, "N", "ranks that acknowledge a feature"),
    ("--mm-recycle-interval-s", float, "S", "seconds between passes of the recycler"),
    ("--attn-dp-size", int, "N", "attention data-parallel workers; one of them is modelled"),
    ("--seed", int, "N", "of synthetic workloads"),
)
_CHOICES = (
    ("--radix-eviction-policy", EVICTION_POLICIES, "which cached prefix goes first"),
    ("--disaggregation-mode", DISAGGREGATION_MODES, "prefill or decode half of a PD pair"),
    ("--checks", CHECKS, "refuse what upstream accepts by accident, or show the damage"),
)


def add_server_flags(parser: argparse.ArgumentParser) -> None:
    """Add every field of `ServerArgs` as a flag, in a group of its own."""
    group = parser.add_argument_group("server", "SGLang's own names where it has the flag")
    for flag, kind, metavar, about in _NUMBERS:
        default = getattr(DEFAULTS, _field(flag))
        shown = "" if default is None else f" (default {default})"
        group.add_argument(flag, type=kind, metavar=metavar, default=default, help=about + shown)
    for flag, choices, about in _CHOICES:
        default = getattr(DEFAULTS, _field(flag))
        listed = f"{about}: {', '.join(choices)} (default {default})"
        group.add_argument(flag, metavar="NAME", default=default, help=listed)
    group.add_argument("--device", default=DEFAULTS.device, help="cpu, cuda or cuda:N")
    group.add_argument("--disable-radix-cache", action="store_true", help="no prefix sharing")
    group.add_argument(
        "--no-memory-check",
        dest="memory_check",
        action="store_false",
        help="do not write and verify the KV buffer (benchmarks)",
    )
    group.add_argument(
        "--memory-budget",
        dest="memory_budget_bytes",
        type=_bytes,
        metavar="SIZE",
        default=DEFAULTS.memory_budget_bytes,
        help=f"most real memory, e.g. 4GiB (default {show_bytes(DEFAULTS.memory_budget_bytes)})",
    )


def args_from(namespace: argparse.Namespace) -> ServerArgs:
    """The server flags of a parsed command line; `resolve` says whether they can work."""
    fields = dataclasses.fields(ServerArgs)
    return ServerArgs(**{field.name: getattr(namespace, field.name) for field in fields})


def _field(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")
