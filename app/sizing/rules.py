"""The formulas by which a server turns flags into pool sizes, one function each.

Mirrors: sglang 0.5.23 mem_cache/kv_cache_configurator.py (token and request limits),
mem_cache/memory_pool.py (ReqToTokenPool), mem_cache/hybrid_cache/hybrid_pool_assembler.py
(LogicalHostPool size), multimodal/transport/memory_pool.py (control words).
"""

import math

#: columns of the request table beyond the context, without speculative decoding
EXTRA_COLUMNS = 4
INT32_BYTES = 4
#: free lists, states, owners and generations, for each page or row
BOOKKEEPING_BYTES_PER_UNIT = 32
#: conversation traffic fills about a tenth of a row (12,035 of 131,072 tokens on average)
LAZY_TABLE_DIVISOR = 8
MM_SLOTS = 4096
MM_ALIGNMENT_BYTES = 256
MIB = 1 << 20
#: our scaled KV buffers: 2 layers × (K, V) × 1 head × 8 dimensions × 2 bytes
KV_BUFFER_BYTES_PER_TOKEN = 64
ROWS_ESTIMATE_FLOOR, ROWS_ESTIMATE_CEILING = 2048, 4096
#: a PD decode server doubles its rows up to this batch per worker
PD_DOUBLE_UP_TO = 32
#: the server keeps this distance between the longest prompt and the longest request
INPUT_MARGIN_TOKENS = 5
DP_CONSERVATIVENESS_FACTOR = 0.3


def kv_tokens(asked: int, page_size: int) -> int:
    """Token capacity: whole pages only."""
    return asked // page_size * page_size


def running_requests(asked: int | None, tokens: int, context_len: int, attn_dp_size: int) -> int:
    """Requests that one worker runs at once; 0 when the pool holds fewer than two tokens."""
    if asked is None:
        return min(rows_estimate(tokens, context_len), tokens // 2)
    return min(max(1, asked // attn_dp_size), tokens // 2)


def rows_estimate(tokens: int, context_len: int) -> int:
    """Requests that the server would run where nobody says, before other limits."""
    estimate = int(tokens / context_len * 512)
    return min(max(estimate, ROWS_ESTIMATE_FLOOR), ROWS_ESTIMATE_CEILING)


def preallocated_rows(running: int, mode: str) -> int:
    """Rows added on a PD decode server for requests whose KV is still arriving."""
    return 2 * running if mode == "decode" and running <= PD_DOUBLE_UP_TO else 0


def speculative_columns(draft_tokens: int, steps: int, topk: int, page_size: int) -> int:
    """Columns of the request table beyond the context, with speculative decoding.

    Mirrors: sglang 0.5.23 mem_cache/allocation_sizing.py
    """
    if not draft_tokens:
        return EXTRA_COLUMNS
    extra = EXTRA_COLUMNS + draft_tokens
    if page_size == 1:
        return extra
    if topk == 1:
        each_step = max(steps * topk, draft_tokens)
    else:
        pages = (2 * (page_size - 1) + steps) // page_size
        each_step = max(pages * page_size * topk, draft_tokens)
    return max(extra, 2 * each_step + page_size - 1)


def host_kv_tokens(wanted: int, page_size: int) -> int:
    """Size of a host pool that holds KV: whole pages and a padding page."""
    return (wanted // page_size + 1) * page_size


def host_tokens(tokens: int, page_size: int, ratio: float) -> int:
    """Size of a logical host pool: whole pages, no padding page."""
    return int(math.ceil(tokens / page_size) * ratio) * page_size


def mm_control_bytes(consumers: int) -> int:
    """Bytes in front of the feature data: a ready word and one ack per consumer for each slot."""
    control = MM_SLOTS * (1 + consumers) * INT32_BYTES
    return -(-control // MM_ALIGNMENT_BYTES) * MM_ALIGNMENT_BYTES


def table_bytes(rows: int, columns: int) -> int:
    """The request table as a server allocates it, padding row included."""
    return (rows + 1) * columns * INT32_BYTES


def counted_table_bytes(rows: int, columns: int, device: str) -> int:
    """What the request table counts for in the memory budget.

    On a CPU its memory is touched only as far as requests reach, so a part is counted; on a GPU
    the whole of it is taken at once.
    """
    whole = table_bytes(rows, columns)
    return whole // LAZY_TABLE_DIVISOR if device == "cpu" else whole


def kv_buffer_bytes(tokens: int, page_size: int) -> int:
    """Our KV buffers with their padding page."""
    return (tokens + page_size) * KV_BUFFER_BYTES_PER_TOKEN


def chunk_tokens(asked: int, attn_dp_size: int) -> int | None:
    """Prompt tokens of one prefill step on one worker; None when chunks are off."""
    return asked // attn_dp_size if asked > 0 else None


def conservativeness(asked: float, attn_dp_size: int) -> float:
    """Scale of the admission reserve; attention DP lowers it."""
    return asked if attn_dp_size == 1 else asked * DP_CONSERVATIVENESS_FACTOR


def bookkeeping_bytes(kv_pages: int, host_pages: int, rows: int) -> int:
    """Our books beside the memory that they account for."""
    return (kv_pages + host_pages + rows) * BOOKKEEPING_BYTES_PER_UNIT
