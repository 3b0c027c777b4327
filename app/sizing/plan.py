"""Server flags to pool sizes: each number as asked, as effective, and by which rule. Torch-free."""

from dataclasses import dataclass

from app.sizing.server_args import FlagError, ServerArgs

#: request-table columns beyond the context length, without speculation
EXTRA_COLUMNS = 4
#: control words of a feature pool: 4,096 slots of one ready and c acknowledgement words of 4 bytes
MM_SLOTS, WORD_BYTES, MM_ALIGNMENT = 4_096, 4, 256
MIB = 1 << 20
#: bytes of the real buffer per token: 2 layers, 1 head of 8, K and V, bf16
BUFFER_BYTES_PER_TOKEN = 64
#: bytes per token of the modelled server (8 KV heads of 128, 32 layers, bf16)
MODELLED_BYTES_PER_TOKEN = 131_072
EVICTION_POLICIES = ("lru", "lfu", "slru", "tlru", "priority")


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One size: `asked` as given (None if left to the rule), `effective`, and the rule in words."""

    name: str
    asked: int | float | str | None
    effective: int | float | str
    unit: str
    rule: str


@dataclass(frozen=True, slots=True)
class PoolPlan:
    """Every pool's size. Tokens, rows and bytes as the names say; 0 means the pool is absent."""

    args: ServerArgs
    rows: int
    context_len: int
    row_columns: int
    kv_tokens: int
    page_size: int
    host_tokens: int
    mm_bytes: int
    mm_consumers: int
    allocated_bytes_estimate: int
    ledger: tuple[LedgerRow, ...]


def resolve(args: ServerArgs) -> PoolPlan:
    """Size every pool.

    Mirrors: sglang 0.5.23 mem_cache/kv_cache_configurator.py (resolve_max_num_reqs).

    Raises:
        FlagError: a flag that is impossible, or contradicts another.
    """
    _check(args)
    tokens = args.max_total_tokens // args.page_size * args.page_size
    rows = effective_rows(args, tokens)
    columns = args.context_length + EXTRA_COLUMNS
    host = int(-(-tokens // args.page_size) * args.hicache_ratio) * args.page_size
    mm_bytes = args.mm_feature_cache_mb * MIB
    touched = min(rows * columns, 2 * tokens) * 4
    kv_bytes = (tokens + args.page_size) * BUFFER_BYTES_PER_TOKEN
    estimate = touched + kv_bytes + mm_bytes
    if estimate > args.memory_budget_bytes:
        raise FlagError(
            "--memory-budget",
            f"{args.memory_budget_bytes / MIB:,.0f} MiB",
            f"the pools need about {estimate / MIB:,.0f} MiB of real memory",
            "raise it, or lower --max-total-tokens or --mm-feature-cache-mb",
        )
    return PoolPlan(
        args=args,
        rows=rows,
        context_len=args.context_length,
        row_columns=columns,
        kv_tokens=tokens,
        page_size=args.page_size,
        host_tokens=host,
        mm_bytes=mm_bytes,
        mm_consumers=args.mm_consumers,
        allocated_bytes_estimate=estimate,
        ledger=_ledger(args, tokens, rows, columns, host, estimate),
    )


def effective_rows(args: ServerArgs, token_capacity: int) -> int:
    """Rows of the request table: never a function of the context length when the flag is given."""
    if args.max_running_requests is not None:
        return max(1, min(args.max_running_requests, token_capacity // 2))
    estimate = int(token_capacity / args.context_length * 512)
    return max(1, min(min(max(estimate, 2_048), 4_096), token_capacity // 2))


def control_bytes(consumers: int) -> int:
    """Bytes of the feature pool's control words, up to where data starts."""
    words = MM_SLOTS * (1 + consumers) * WORD_BYTES
    return -(-words // MM_ALIGNMENT) * MM_ALIGNMENT


def _check(args: ServerArgs) -> None:
    _positive(args)
    if args.page_size > args.max_total_tokens:
        raise FlagError(
            "--page-size",
            args.page_size,
            f"a page is larger than the whole pool of {args.max_total_tokens} tokens",
            "lower it or raise --max-total-tokens",
        )
    if args.chunked_prefill_size > 0 and args.chunked_prefill_size % args.page_size:
        raise FlagError(
            "--chunked-prefill-size",
            args.chunked_prefill_size,
            f"no multiple of --page-size {args.page_size}, so a chunk would end inside a page",
            f"use {-(-args.chunked_prefill_size // args.page_size) * args.page_size}",
        )
    if 0 < args.mm_feature_cache_mb * MIB <= control_bytes(args.mm_consumers):
        raise FlagError(
            "--mm-feature-cache-mb",
            args.mm_feature_cache_mb,
            f"the control words of {args.mm_consumers} consumers alone take "
            f"{control_bytes(args.mm_consumers):,} bytes",
            "raise it, or use 0 for no feature pool",
        )
    if args.radix_eviction_policy not in EVICTION_POLICIES:
        raise FlagError(
            "--radix-eviction-policy",
            args.radix_eviction_policy,
            "unknown policy",
            f"use one of {', '.join(EVICTION_POLICIES)}",
        )


def _positive(args: ServerArgs) -> None:
    least = {
        "page_size": 1,
        "max_total_tokens": 2,
        "context_length": 8,
        "max_prefill_tokens": 1,
        "schedule_conservativeness": 0.0,
        "hicache_ratio": 0.0,
        "mm_feature_cache_mb": 0,
        "mm_consumers": 1,
        "memory_budget_bytes": 1,
    }
    optional = {"max_running_requests": 1, "max_queued_requests": 0}
    for name, low in {**least, **optional}.items():
        value = getattr(args, name)
        if value is not None and not value >= low:
            flag = "--" + name.removesuffix("_bytes").replace("_", "-")
            raise FlagError(flag, value, f"must be at least {low}", f"use {low} or more")
    if not args.mm_recycle_interval_s > 0:
        raise FlagError(
            "--mm-recycle-interval", args.mm_recycle_interval_s, "must be positive", "try 0.05"
        )


def _ledger(
    args: ServerArgs, tokens: int, rows: int, columns: int, host: int, estimate: int
) -> tuple[LedgerRow, ...]:
    page, feature = args.page_size, args.mm_feature_cache_mb * MIB
    given = args.max_running_requests is not None
    row_rule = (
        "min(--max-running-requests, tokens // 2)"
        if given
        else "min(clamp(tokens / context × 512, 2048, 4096), tokens // 2)"
    )
    usable = max(0, feature - control_bytes(args.mm_consumers)) if feature else 0
    return (
        LedgerRow(
            "KV tokens", args.max_total_tokens, tokens, "tokens", f"floored to pages of {page}"
        ),
        LedgerRow("KV pages", None, tokens // page, "pages", "tokens // page size"),
        LedgerRow("request rows", args.max_running_requests, rows, "rows", row_rule),
        LedgerRow(
            "row columns", args.context_length, columns, "columns", "context + 4; adds no rows"
        ),
        LedgerRow(
            "request table", None, (rows + 1) * columns * 4, "bytes", "(rows + 1) × columns × 4"
        ),
        LedgerRow(
            "host slots", args.hicache_ratio, host, "tokens", "int(KV pages × ratio) × page size"
        ),
        LedgerRow(
            "feature pool",
            feature,
            usable,
            "bytes",
            "pool − control words of 4,096 slots, 256-aligned",
        ),
        LedgerRow(
            "modelled KV", None, tokens * MODELLED_BYTES_PER_TOKEN, "bytes", "131,072 bytes a token"
        ),
        LedgerRow(
            "really allocated",
            args.memory_budget_bytes,
            estimate,
            "bytes",
            "buffers scaled to 64 B a token",
        ),
    )
