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
        need_sort: freed KV units wait in a staging list and are sorted in.
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
    need_sort: bool
    allocated_bytes_estimate: int

    @property
    def kv_pages(self) -> int:
        """Pages of the KV pool."""
        return self.kv_tokens // self.page_size

    @property
    def max_req_input_len(self) -> int:
        """A prompt of this length or longer is refused, tokens."""
        return self.max_req_len - rules.INPUT_MARGIN_TOKENS

    @property
    def modelled_table_bytes(self) -> int:
        """The request table of a real server."""
        return rules.table_bytes(self.rows, self.table_columns)

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
    workers = args.attn_dp_size
    tokens = rules.kv_tokens(args.max_total_tokens, args.page_size)
    running = rules.running_requests(
        args.max_running_requests, tokens, args.context_length, workers
    )
    refusals.check_pools(args, tokens, running)
    chunk = rules.chunk_tokens(args.chunked_prefill_size, workers)
    refusals.check_chunk(args, chunk)
    ratio = 0.0 if args.disable_radix_cache else args.hicache_ratio
    host = rules.host_tokens(tokens, args.page_size, ratio)
    refusals.check_side_pools(args, host)
    rows = running + rules.preallocated_rows(running, args.disaggregation_mode)
    buffers = _buffers(args, rows, tokens, host)
    refusals.check_budget(args, buffers)
    return PoolPlan(
        args=args,
        rows=rows,
        max_running_requests=running,
        context_len=args.context_length,
        table_columns=args.context_length + rules.EXTRA_COLUMNS,
        kv_tokens=tokens,
        page_size=args.page_size,
        host_tokens=host,
        mm_bytes=args.mm_feature_cache_mb * rules.MIB,
        chunked_prefill_size=chunk,
        max_prefill_tokens=args.max_prefill_tokens,
        schedule_conservativeness=rules.conservativeness(args.schedule_conservativeness, workers),
        max_req_len=min(args.context_length, tokens) - 1,
        need_sort=args.disaggregation_mode != "null",
        allocated_bytes_estimate=sum(buffers.values()),
    )


def _buffers(args: ServerArgs, rows: int, tokens: int, host_tokens: int) -> dict[str, int]:
    """Real memory by what takes it, bytes."""
    page, columns = args.page_size, args.context_length + rules.EXTRA_COLUMNS
    return {
        "request table": rules.counted_table_bytes(rows, columns, args.device),
        "KV buffers": rules.kv_buffer_bytes(tokens, page),
        "feature pool": args.mm_feature_cache_mb * rules.MIB,
        "book-keeping": rules.bookkeeping_bytes(tokens // page, host_tokens // page, rows),
    }
