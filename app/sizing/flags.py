"""Server flags on a command line, under SGLang's own names."""

import argparse
import re

from app.sizing.server_args import FlagError, ServerArgs

SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]i?B?|B)?", re.IGNORECASE)
FACTORS = {"": 1, "b": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}

#: flag -> (type, help); the field has the flag's name
NUMBERS: dict[str, tuple[type, str]] = {
    "max-running-requests": (int, "request rows; 0 leaves it to SGLang's rule"),
    "page-size": (int, "tokens a KV page"),
    "max-total-tokens": (int, "KV tokens"),
    "context-length": (int, "tokens a request may have; widens rows, adds none"),
    "chunked-prefill-size": (int, "prompt tokens a prefill step, -1 for no chunking"),
    "max-prefill-tokens": (int, "prompt tokens a prefill batch"),
    "schedule-conservativeness": (float, "scales the reserve for tokens still to come"),
    "hicache-ratio": (float, "host pool over KV pool, 0 for none"),
    "max-queued-requests": (int, "waiting requests before new ones are rejected"),
    "mm-feature-cache-mb": (int, "multimodal feature pool in MiB, 0 for none"),
    "mm-consumers": (int, "scheduler ranks that acknowledge a feature"),
    "seed": (int, "of the synthetic workload"),
}


def add_server_flags(parser: argparse.ArgumentParser) -> None:
    """Add every server flag; `args_from` reads them back."""
    group = parser.add_argument_group("modelled server (SGLang's own flag names)")
    for flag, (kind, text) in NUMBERS.items():
        group.add_argument(f"--{flag}", type=kind, metavar="N", help=text)
    group.add_argument("--mm-recycle-interval", type=float, metavar="S", help="seconds, 0.05")
    group.add_argument("--radix-eviction-policy", metavar="NAME", help="lru")
    group.add_argument("--disable-radix-cache", action="store_true", help="no prefix sharing")
    group.add_argument("--device", default="cpu", help="cpu, or cuda:N")
    group.add_argument("--no-memory-check", action="store_true", help="do not verify the buffers")
    group.add_argument("--memory-budget", metavar="SIZE", help="real memory at most, 2GiB")


def args_from(namespace: argparse.Namespace) -> ServerArgs:
    """The ServerArgs behind parsed flags; what was not given keeps its default.

    Raises:
        FlagError: a size that cannot be read.
    """
    given = {name.replace("-", "_"): getattr(namespace, name.replace("-", "_")) for name in NUMBERS}
    given["mm_recycle_interval_s"] = namespace.mm_recycle_interval
    given["radix_eviction_policy"] = namespace.radix_eviction_policy
    chosen = {name: value for name, value in given.items() if value is not None}
    if chosen.get("max_running_requests") == 0:
        chosen["max_running_requests"] = None
    if namespace.memory_budget is not None:
        chosen["memory_budget_bytes"] = parse_size(namespace.memory_budget)
    return ServerArgs(
        **chosen,
        disable_radix_cache=namespace.disable_radix_cache,
        device=namespace.device,
        memory_check=not namespace.no_memory_check,
    )


def parse_size(text: str) -> int:
    """Bytes of "2GiB", "512M" or "1048576"; all suffixes are powers of 1024.

    Raises:
        FlagError: no size.
    """
    found = SIZE.fullmatch(text.strip())
    if found is None:
        raise FlagError("--memory-budget", text, "not a size", "write it like 2GiB or 512MiB")
    return int(float(found[1]) * FACTORS[(found[2] or "")[:1].lower()])
