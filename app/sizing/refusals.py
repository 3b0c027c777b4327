"""Flags that no server could start with, each refused by name with what to write instead."""

import math
import re

from app.nearest import nearest
from app.sizing import rules
from app.sizing.byte_size import show_bytes
from app.sizing.server_args import (
    CHECKS,
    DISAGGREGATION_MODES,
    EVICTION_POLICIES,
    FlagError,
    ServerArgs,
)

MIN_CONTEXT_TOKENS = 8
INT32_MAX = 2**31 - 1
#: above any real flag, below what arithmetic with doubles can hold
MAX_NUMBER = 2**53
MAX_HICACHE_RATIO = 1000.0
_DEVICE = re.compile(r"cpu|cuda(:\d{1,3})?", re.ASCII)

#: smallest value of each whole-number flag
_FLOORS = {
    "page_size": 1,
    "max_total_tokens": 1,
    "context_length": MIN_CONTEXT_TOKENS,
    "chunked_prefill_size": -1,
    "max_prefill_tokens": 1,
    "mm_feature_cache_mb": 0,
    "mm_consumers": 1,
    "attn_dp_size": 1,
    "seed": 0,
    "memory_budget_bytes": 1,
}
_CHOICES = {
    "radix_eviction_policy": EVICTION_POLICIES,
    "disaggregation_mode": DISAGGREGATION_MODES,
    "checks": CHECKS,
}
_SPELLINGS = {"memory_budget_bytes": "--memory-budget", "memory_check": "--no-memory-check"}


def flag_name(field: str) -> str:
    """The flag behind a field of `ServerArgs`."""
    return _SPELLINGS.get(field, "--" + field.replace("_", "-"))


def check_each(args: ServerArgs) -> None:
    """Every flag on its own.

    Raises:
        FlagError: the first one that cannot work.
    """
    for field, floor in _FLOORS.items():
        _whole(field, getattr(args, field), floor)
    for field in ("max_running_requests", "max_queued_requests"):
        if getattr(args, field) is not None:
            _whole(field, getattr(args, field), 1)
    for field, choices in _CHOICES.items():
        _one_of(field, getattr(args, field), choices)
    for field in ("schedule_conservativeness", "hicache_ratio", "mm_recycle_interval_s"):
        _finite(field, getattr(args, field))
    if args.hicache_ratio > MAX_HICACHE_RATIO:
        raise FlagError(
            "--hicache-ratio",
            args.hicache_ratio,
            f"over {MAX_HICACHE_RATIO:g} host tokens per KV token",
            "servers use 2 or so",
        )
    if args.mm_recycle_interval_s == 0:
        raise FlagError(
            "--mm-recycle-interval-s", 0, "recycle_interval must be positive", "the default is 0.05"
        )
    if not isinstance(args.device, str) or not _DEVICE.fullmatch(args.device):
        raise FlagError("--device", args.device, "no such device", "write cpu, cuda or cuda:N")


def check_pools(args: ServerArgs, tokens: int, running: int) -> None:
    """The KV pool against what it must hold.

    Args:
        args: flags that passed `check_each`.
        tokens: token capacity after rounding to pages.
        running: requests that may run at once.

    Raises:
        FlagError: naming the flag to change.
    """
    page, asked = args.page_size, args.max_total_tokens
    if tokens == 0:
        raise FlagError(
            "--page-size",
            page,
            f"one page is larger than the whole KV pool (--max-total-tokens {asked:,})",
            f"give --max-total-tokens {page:,} or more, or a smaller page",
        )
    if tokens < MIN_CONTEXT_TOKENS or running == 0:
        raise FlagError(
            "--max-total-tokens",
            asked,
            f"Memory pool size is too small: {tokens} tokens in whole pages of {page}",
            f"give at least {max(MIN_CONTEXT_TOKENS, page)}",
        )
    if tokens + page > INT32_MAX:
        raise FlagError(
            "--max-total-tokens",
            asked,
            "token ids no longer fit the 32-bit request table",
            f"give at most {(INT32_MAX // page - 1) * page}",
        )


def check_chunk(args: ServerArgs, chunk: int | None) -> None:
    """A prefill chunk must end on a page boundary, except on a PD decode server.

    Raises:
        FlagError: with the nearest multiples.
    """
    if chunk is None or args.disaggregation_mode == "decode":
        return
    if chunk > 0 and chunk % args.page_size == 0:
        return
    page, asked = args.page_size, args.chunked_prefill_size
    share = "" if args.attn_dp_size == 1 else f" ({chunk} per attention-DP worker)"
    below = chunk // page * page * args.attn_dp_size
    above = below + page * args.attn_dp_size
    either = f"{below} or {above}" if below else str(above)
    raise FlagError(
        "--chunked-prefill-size",
        asked,
        f"chunked_prefill_size{share} must be divisible by page_size {page}",
        f"give {either}, or -1 to switch chunks off",
    )


def check_side_pools(args: ServerArgs, host_tokens: int) -> None:
    """Host pool and feature pool.

    Raises:
        FlagError: a pool that was asked for but would have no room.
    """
    if args.hicache_ratio > 0 and not args.disable_radix_cache and host_tokens == 0:
        raise FlagError(
            "--hicache-ratio",
            args.hicache_ratio,
            "the host pool would hold less than one page",
            "raise it, or give 0 for no host pool",
        )
    memory = args.mm_feature_cache_mb * rules.MIB
    control = rules.mm_control_bytes(args.mm_consumers)
    if 0 < memory <= control:
        raise FlagError(
            "--mm-feature-cache-mb",
            args.mm_feature_cache_mb,
            f"the pool is too small after control metadata: pool={memory}, control={control}",
            f"give {control // rules.MIB + 1} or more, fewer --mm-consumers, or 0 for no pool",
        )


def check_budget(args: ServerArgs, parts: dict[str, int]) -> None:
    """Real memory against `--memory-budget`.

    Args:
        args: the flags.
        parts: bytes of each real buffer, by name.

    Raises:
        FlagError: with the budget that would do and the largest buffer.
    """
    total, budget = sum(parts.values()), args.memory_budget_bytes
    if total <= budget:
        return
    largest = max(parts, key=lambda name: parts[name])
    listed = ", ".join(f"{name} {show_bytes(size)}" for name, size in parts.items() if size)
    shrink = {
        "request table": "lower --max-running-requests or --context-length",
        "KV buffers": "lower --max-total-tokens",
        "feature pool": "lower --mm-feature-cache-mb",
        "book-keeping": "lower --max-total-tokens or --hicache-ratio",
    }[largest]
    raise FlagError(
        "--memory-budget",
        show_bytes(budget),
        f"the pools need {show_bytes(total)} ({listed})",
        f"{shrink}, or give --memory-budget {-(-total // rules.MIB)}MiB",
    )


def _whole(field: str, value: object, floor: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise FlagError(flag_name(field), value, "not a whole number", f"give {floor} or more")
    if value < floor:
        raise FlagError(flag_name(field), value, f"below {floor}", f"give {floor} or more")
    if value > MAX_NUMBER:
        raise FlagError(flag_name(field), value, "beyond any real server", "give a smaller number")


def _finite(field: str, value: object) -> None:
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    if not numeric or not math.isfinite(value) or value < 0:  # type: ignore[arg-type, operator]
        raise FlagError(flag_name(field), value, "not a number of 0 or more", "give one")


def _one_of(field: str, value: object, choices: tuple[str, ...]) -> None:
    if value in choices:
        return
    close = nearest(str(value), choices)
    hint = f"did you mean {close}?" if close else f"choose from {', '.join(choices)}"
    raise FlagError(flag_name(field), value, "not a known choice", hint)
