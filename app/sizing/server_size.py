"""Every pool of a real server from its model, GPU and flags, as a band until a log pins it."""

from dataclasses import dataclass

from app.sizing import bounds, capacity, rules
from app.sizing.bounds import Bound
from app.sizing.capacity import Capacity, Course
from app.sizing.server_args import FlagError
from app.sizing.size_args import SizeArgs, check

#: share of GPU memory that is free before the weights are loaded: a context of 0.4 GiB, or a
#: driver and neighbours that take more
FREE_BEFORE_FRAC = (0.97, 0.995)
#: weights in memory over weights in the checkpoint
WEIGHTS_FACTOR = (1.03, 1.0)
#: workspaces and communication buffers that are taken while loading, GiB
LOADING_GIB = (1.0, 0.0)

Band = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ServerSize:
    """One worker's pools on one GPU; a pair is the low and the high end, equal when pinned.

    Attributes:
        args: as asked.
        courses: what a start-up may find, the bad course first.
        ends: what fits on each course.
        running: requests at once.
        rows: of the request table, without its padding row.
        columns: of the request table.
        table_bytes: of the request table.
        host_tokens: of the host pool, 0 without.
        bounds: on running requests.
    """

    args: SizeArgs
    courses: tuple[Course, Course]
    ends: tuple[Capacity, Capacity]
    running: Band
    columns: int
    table_bytes: Band
    host_tokens: Band
    bounds: tuple[Bound, ...]

    @property
    def tokens(self) -> Band:
        """Capacity of the KV pool."""
        return self.ends[0].tokens, self.ends[1].tokens

    @property
    def pinned(self) -> bool:
        """Whether a real start-up gave the capacity."""
        return self.args.measured_tokens is not None

    @property
    def max_req_len(self) -> Band:
        """Longest prompt and output together, tokens."""
        low, high = (min(self.args.context_len, count) - 1 for count in self.tokens)
        return max(low, 0), max(high, 0)


def size(args: SizeArgs) -> ServerSize:
    """Apply the server's rules.

    Raises:
        FlagError: flags that cannot work, or weights that leave nothing on any course.
    """
    check(args)
    courses = (_course(args, 0), _course(args, 1))
    if args.measured_tokens is not None:
        low = high = capacity.pinned(args, args.measured_tokens)
    else:
        low, high = (capacity.capacity(args, course) for course in courses)
    _check_ends(args, courses[1], high)
    tokens = (low.tokens, high.tokens)
    found = _bounds(args, (low, high))
    rows = [one for one in found if one.kind == "rows"]
    running = min(one.low for one in rows), min(one.high for one in rows)
    columns = args.context_len + rules.speculative_columns(
        args.speculative_num_draft_tokens,
        args.speculative_num_steps,
        args.speculative_eagle_topk,
        args.page_size,
    )
    tables = (rules.table_bytes(running[0], columns), rules.table_bytes(running[1], columns))
    host = (_host_tokens(args, tokens[0]), _host_tokens(args, tokens[1]))
    return ServerSize(args, courses, (low, high), running, columns, tables, host, found)


def host_wanted(args: SizeArgs, tokens: int) -> int:
    """Tokens that the host pool is asked to hold, before whole pages."""
    if args.hicache_size_gb:
        return int(args.hicache_size_gb * 1e9 // capacity.full_cell(args))
    return int(tokens * args.hicache_ratio)


def _course(args: SizeArgs, end: int) -> Course:
    before = args.gpu_gib * FREE_BEFORE_FRAC[end]
    taken = args.weights_gib_of_rank * WEIGHTS_FACTOR[end] + LOADING_GIB[end]
    return Course(before, before - taken)


def _bounds(args: SizeArgs, ends: tuple[Capacity, Capacity]) -> tuple[Bound, ...]:
    tokens = ends[0].tokens, ends[1].tokens
    found = [
        bounds.rows_asked(args.max_running_requests, args.attn_dp, tokens, args.context_len),
        bounds.half_of(tokens),
    ]
    if args.model.mamba:
        ratio = capacity.slots_per_request(args)
        low, high = (end.mamba_slots // ratio for end in ends)
        found.append(Bound("state slots", low, high, f"slots / {ratio} for each running request"))
    found.append(bounds.by_tokens(tokens, args.request_tokens, args.page_size))
    if args.model.swa_layers:
        kept = min(args.request_tokens, args.model.window + args.page_size)
        low, high = (end.swa_tokens // kept for end in ends)
        rule = f"window tokens / {kept:,}: the window and a page"
        found.append(Bound("sliding window", low, high, rule, kind="tokens"))
    return bounds.marked(found)


def _host_tokens(args: SizeArgs, tokens: int) -> int:
    if not args.enable_hierarchical_cache or args.disable_radix_cache or not tokens:
        return 0
    return rules.host_kv_tokens(host_wanted(args, tokens), args.page_size)


def _check_ends(args: SizeArgs, course: Course, high: Capacity) -> None:
    """What no course of a start-up survives.

    Raises:
        FlagError: with the number that would do.
    """
    share = capacity.fraction(args)
    if high.rest_bytes <= 0:
        raise _no_memory(args, course, share)
    if high.tokens == 0:
        raise FlagError(
            "--mem-fraction-static",
            share,
            f"Not enough memory: less than one page of {args.page_size} tokens",
            "raise it, or lower --page-size",
        )
    window = args.model.window
    if window and window + args.page_size >= high.swa_tokens:
        raise FlagError(
            "--swa-full-tokens-ratio",
            args.swa_full_tokens_ratio,
            f"the window layers hold {high.swa_tokens:,} tokens, no more than a window and a page",
            "raise it",
        )
    if args.model.mamba and high.mamba_slots // capacity.slots_per_request(args) == 0:
        raise FlagError(
            "--max-mamba-cache-size",
            args.max_mamba_cache_size,
            f"{high.mamba_slots} state slots let no request run",
            "raise it, or --mamba-full-memory-ratio",
        )


def _no_memory(args: SizeArgs, course: Course, share: float) -> FlagError:
    least = 1 - course.after_gib / course.before_gib
    remedy = (
        f"give --mem-fraction-static {min(least + 0.05, 0.99):.2f} or more"
        if least < 0.95
        else "more ranks (--tp-size), a larger GPU, or smaller weights"
    )
    return FlagError(
        "--mem-fraction-static",
        round(share, 3),
        f"Loaded weights leave no GPU memory: {args.weights_gib_of_rank:.1f} GiB of weights on "
        f"a GPU of {args.gpu_gib:g} GiB",
        remedy,
    )
