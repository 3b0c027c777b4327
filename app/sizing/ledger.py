"""The plan as a table: each number as asked, as built, and the rule between the two."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.sizing import rules
from app.sizing.byte_size import show_bytes

if TYPE_CHECKING:
    from app.sizing.plan import PoolPlan


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One number of the plan.

    Attributes:
        name: the flag, or what the number is.
        asked: as given; None where the rule alone decides.
        effective: what the pools are built with.
        unit: of both numbers.
        rule: how one became the other.
    """

    name: str
    asked: int | float | str | bool | None
    effective: int | float | str | bool
    unit: str
    rule: str


def ledger_of(plan: "PoolPlan") -> tuple[LedgerRow, ...]:
    """All rows: limits first, then pools, then memory."""
    return (*_limits(plan), *_scheduling(plan), *_side_pools(plan), *_memory(plan))


def warnings_of(plan: "PoolPlan") -> tuple[str, ...]:
    """The server's own start-up warnings that these flags would cause."""
    args, found = plan.args, []
    asked = args.max_running_requests
    if asked is not None and plan.max_running_requests < max(1, asked // args.attn_dp_size):
        found.append(
            f"max_running_requests was reduced from the requested {asked} to "
            f"{plan.max_running_requests} (per dp worker) due to the available KV cache capacity."
        )
    if plan.kv_tokens < plan.context_len:
        found.append(
            f"KV pool holds {plan.kv_tokens} tokens, fewer than --context-length "
            f"{plan.context_len}. One full-length request cannot fit, so long requests will be "
            "refused or truncated at serving time. Lower --context-length, raise "
            "--mem-fraction-static, or free memory taken before the pool is sized."
        )
    if 0 < plan.host_tokens <= plan.kv_tokens:
        found.append(
            f"HiCache host KV pool ({plan.host_tokens} tokens) is smaller than the device pool "
            f"({plan.kv_tokens} tokens);L2 cache effectiveness is reduced.Consider increasing "
            "--hicache-ratio (or --hicache-size) for higher L2 cache hit rate."
        )
    return tuple(found)


def _limits(plan: "PoolPlan") -> tuple[LedgerRow, ...]:
    args = plan.args
    whole = f"rounded down to whole pages of {plan.page_size}"
    columns = "columns of the request table; adds no rows"
    longest = f"min(context {plan.context_len:,}, KV tokens {plan.kv_tokens:,}) - 1"
    margin = f"longest request - {rules.INPUT_MARGIN_TOKENS}"
    return (
        LedgerRow("--max-total-tokens", args.max_total_tokens, plan.kv_tokens, "tokens", whole),
        LedgerRow("--page-size", args.page_size, plan.page_size, "tokens", "as asked"),
        LedgerRow("KV pages", None, plan.kv_pages, "pages", "tokens / page size"),
        LedgerRow(
            "--max-running-requests",
            args.max_running_requests,
            plan.max_running_requests,
            "requests",
            _running_rule(plan),
        ),
        LedgerRow("request rows", None, plan.rows, "rows", _rows_rule(plan)),
        LedgerRow("--context-length", args.context_length, plan.context_len, "tokens", columns),
        LedgerRow("longest request", None, plan.max_req_len, "tokens", longest),
        LedgerRow("prompt refused from", None, plan.max_req_input_len, "tokens", margin),
    )


def _running_rule(plan: "PoolPlan") -> str:
    args, half = plan.args, plan.kv_tokens // 2
    if args.max_running_requests is None:
        return (
            f"not given: KV tokens / context × 512, held within {rules.ROWS_ESTIMATE_FLOOR:,} and "
            f"{rules.ROWS_ESTIMATE_CEILING:,}, at most half the KV tokens ({half:,})"
        )
    workers = f" / attention DP {args.attn_dp_size}" if args.attn_dp_size > 1 else ""
    return f"as asked{workers}, at most half the KV tokens ({half:,})"


def _rows_rule(plan: "PoolPlan") -> str:
    extra = plan.rows - plan.max_running_requests
    if extra:
        return f"running requests + {extra} for KV still arriving; row 0 is padding on top"
    return "one for each running request; row 0 is padding on top"


def _scheduling(plan: "PoolPlan") -> tuple[LedgerRow, ...]:
    args, workers = plan.args, plan.args.attn_dp_size
    shared = f"divided among {workers} attention-DP workers" if workers > 1 else "as asked"
    chunk = plan.chunked_prefill_size
    return (
        LedgerRow(
            "--chunked-prefill-size",
            args.chunked_prefill_size,
            "off" if chunk is None else chunk,
            "tokens",
            "0 or less: prompts are not cut" if chunk is None else f"{shared}; whole pages",
        ),
        LedgerRow(
            "--max-prefill-tokens",
            args.max_prefill_tokens,
            plan.max_prefill_tokens,
            "tokens",
            "prompt tokens of one prefill batch",
        ),
        LedgerRow(
            "--schedule-conservativeness",
            args.schedule_conservativeness,
            plan.schedule_conservativeness,
            "×",
            f"× {rules.DP_CONSERVATIVENESS_FACTOR} under attention DP"
            if workers > 1
            else "as asked",
        ),
        LedgerRow(
            "--max-queued-requests",
            args.max_queued_requests,
            "no limit" if args.max_queued_requests is None else args.max_queued_requests,
            "requests",
            "the next one is turned away with 503",
        ),
    )


def _side_pools(plan: "PoolPlan") -> tuple[LedgerRow, ...]:
    args = plan.args
    ratio = 0.0 if args.disable_radix_cache else args.hicache_ratio
    if args.disable_radix_cache:
        rule = "no prefix cache, so nothing to back up"
    else:
        rule = "host tokens for each KV token" if ratio else "0: no host pool"
    megabytes, control = args.mm_feature_cache_mb, rules.mm_control_bytes(args.mm_consumers)
    return (
        LedgerRow("--hicache-ratio", args.hicache_ratio, ratio, "×", rule),
        LedgerRow(
            "host pool",
            None,
            plan.host_tokens,
            "tokens",
            "KV pages × ratio, rounded down to whole pages; a logical pool has no padding page",
        ),
        LedgerRow("--mm-feature-cache-mb", megabytes, megabytes, "MiB", "as asked; 0: no pool"),
        LedgerRow(
            "feature data",
            None,
            max(plan.mm_bytes - control, 0),
            "bytes",
            f"pool {plan.mm_bytes:,} - control words {control:,}: {rules.MM_SLOTS:,} slots × "
            f"(1 + {args.mm_consumers} consumers) × 4, aligned to {rules.MM_ALIGNMENT_BYTES}",
        ),
    )


def _memory(plan: "PoolPlan") -> tuple[LedgerRow, ...]:
    budget = plan.args.memory_budget_bytes
    lazily = plan.args.device == "cpu"
    counted = f"1/{rules.LAZY_TABLE_DIVISOR} of the table, which" if lazily else "the table, which"
    touched = "is touched only as far as requests reach" if lazily else "is taken at once"
    return (
        LedgerRow(
            "request table, modelled",
            None,
            plan.modelled_table_bytes,
            "bytes",
            f"({plan.rows:,} + 1) rows × ({plan.context_len:,} + {rules.EXTRA_COLUMNS}) × 4 = "
            f"{show_bytes(plan.modelled_table_bytes)} on a real server, outside its KV budget",
        ),
        LedgerRow(
            "memory taken here",
            None,
            plan.allocated_bytes_estimate,
            "bytes",
            f"KV buffers scaled to {rules.KV_BUFFER_BYTES_PER_TOKEN} bytes a token, the feature "
            f"pool, the books, and {counted} {touched}",
        ),
        LedgerRow("--memory-budget", budget, budget, "bytes", "more than this is refused"),
    )
