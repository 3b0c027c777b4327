"""From flags to pools: what was asked, what a server makes of it, and by which rule."""

from dataclasses import dataclass

from app.sizing import refusals, rules
from app.sizing.ledger import LedgerRow, ledger_of, warnings_of
from app.sizing.server_args import ServerArgs


@dataclass(frozen=True, slots=True)
class PoolPlan:
    """Everything that the pools and the scheduler are built with.

    Attributes:
        args: the flags as asked.
        rows: usable rows of the request table (row 0, the padding, comes on top).
        max_running_requests: requests admitted at once, at most `rows`.
        context_len: longest request, tokens.
        table_columns: entries of one row of the request table.
        kv_tokens: capacity of the KV pool, tokens, whole pages.
        page_size: tokens per page.
        host_tokens: capacity of the host pool, tokens; 0: none.
        mm_bytes: feature pool with its control words, bytes; 0: none.
        chunked_prefill_size: most prompt tokens of one step; None: no chunks.
        max_prefill_tokens: most prompt tokens of one prefill batch.
        schedule_conservativeness: after attention DP.
        max_req_len: longest prompt and output together, tokens.
        max_req_input_len: a prompt of this length or longer is refused, tokens.
        need_sort: freed KV units wait in a staging list and are sorted in.
        modelled_table_bytes: the request table of a real server.
        allocated_bytes_estimate: real memory that our buffers take.
    """

    args: ServerArgs
    rows: int
    max_running_requests: int
    context_len: int
    table_columns: int
    kv_tokens: int
    page_size: int
    host_tokens: int
    mm_bytes: int
    chunked_prefill_size: int | None
    max_prefill_tokens: int
    schedule_conservativeness: float
    max_req_len: int
    max_req_input_len: int
    need_sort: bool
    modelled_table_bytes: int
    allocated_bytes_estimate: int

    @property
    def kv_pages(self) -> int:
        """Pages of the KV pool."""
        return self.kv_tokens // self.page_size

    @property
    def ledger(self) -> tuple[LedgerRow, ...]:
        """Every number with its rule, in the order a reader needs them."""
        return ledger_of(self)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a server would log at start about these flags."""
        return warnings_of(self)


def resolve(args: ServerArgs) -> PoolPlan:
    """Apply the server's rules to its flags.

    Raises:
        FlagError: a flag that cannot work, or pools beyond `--memory-budget`.
    """
    refusals.check_each(args)
    page, context = args.page_size, args.context_length
    tokens = rules.kv_tokens(args.max_total_tokens, page)
    running = rules.running_requests(args.max_running_requests, tokens, context, args.attn_dp_size)
    refusals.check_pools(args, tokens, running)
    chunk = rules.chunk_tokens(args.chunked_prefill_size, args.attn_dp_size)
    refusals.check_chunk(args, chunk)
    host = 0
    if not args.disable_radix_cache:
        host = rules.host_tokens(tokens, page, args.hicache_ratio)
    refusals.check_side_pools(args, host)
    rows = running + rules.preallocated_rows(running, args.disaggregation_mode)
    columns = context + rules.EXTRA_COLUMNS
    mm_bytes = args.mm_feature_cache_mb * rules.MIB
    buffers = {
        "request table": rules.counted_table_bytes(rows, columns, args.device),
        "KV buffers": rules.kv_buffer_bytes(tokens, page),
        "feature pool": mm_bytes,
        "book-keeping": rules.bookkeeping_bytes(tokens // page, host // page, rows),
    }
    refusals.check_budget(args, buffers)
    longest = min(context - 1, tokens - 1)
    return PoolPlan(
        args=args,
        rows=rows,
        max_running_requests=running,
        context_len=context,
        table_columns=columns,
        kv_tokens=tokens,
        page_size=page,
        host_tokens=host,
        mm_bytes=mm_bytes,
        chunked_prefill_size=chunk,
        max_prefill_tokens=args.max_prefill_tokens,
        schedule_conservativeness=rules.conservativeness(
            args.schedule_conservativeness, args.attn_dp_size
        ),
        max_req_len=longest,
        max_req_input_len=longest - rules.INPUT_MARGIN_TOKENS,
        need_sort=args.disaggregation_mode != "null",
        modelled_table_bytes=rules.table_bytes(rows, columns),
        allocated_bytes_estimate=sum(buffers.values()),
    )
