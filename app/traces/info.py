"""What a trace turned out to be: everything that is shown beside its replay."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lengths:
    """Token lengths of the accepted rows."""

    p50: int
    p95: int
    max: int
    total: int


@dataclass(frozen=True, slots=True)
class Sharing:
    """What a cache without limit would find of the prompts, in the file's order.

    Attributes:
        blocks_frac: share of hash blocks whose whole leading chain came in an earlier row.
        later_blocks_frac: the same without each prompt's first block, which all prompts may share.
        tokens_frac: of prompt tokens.
        requests_judged: rows that the shares are of.
    """

    blocks_frac: float
    later_blocks_frac: float
    tokens_frac: float
    requests_judged: int


@dataclass(frozen=True, slots=True)
class TraceInfo:
    """A trace as read.

    Attributes:
        name: the file's name.
        format: the format's name.
        compression: `gzip`, `Zstandard` or None.
        time_unit: unit of its timestamps: ns, us, ms, s or datetime; "none" without any.
        arrivals: `file` as its timestamps say, `spread` within its ticks, `drawn`, or
            `drawn-starts` when sessions start as drawn and their turns follow as the file says.
        block_size: tokens per hash id; None without prefix information.
        rounding: `ceil` when a last, partial block has an id, `floor` when it has none; None
            without prefix information.
        hash_scope: `file`: equal ids mean equal prefixes in all rows; `session`: within one
            session only; None without any.
        hash_ids: `chained` when an id always had the same blocks before it, `content` when it may
            come back behind others; None without any.
        sharing: None without prefix information.
        rows: rows seen, wrong ones included.
        rows_dropped: wrong rows by reason.
        problems: the first wrong rows, each as `file:line: field: problem`.
        sessions: conversations that the rows belong to; 1 where the file names none.
        span_s: seconds from the first arrival to the last.
        rate_per_s: accepted requests over the span; 0.0 when all arrive at one instant.
        first_time: first timestamp as the file has it.
        last_time: last timestamp as the file has it.
        input_tokens: of the prompts.
        output_tokens: to generate.
        images: of all accepted rows.
        notes: sentences for the reader of a replay: units, assumptions, oddities.
    """

    name: str
    format: str
    compression: str | None
    time_unit: str
    arrivals: str
    block_size: int | None
    rounding: str | None
    hash_scope: str | None
    hash_ids: str | None
    sharing: Sharing | None
    rows: int
    rows_dropped: dict[str, int]
    problems: tuple[str, ...]
    sessions: int
    span_s: float
    rate_per_s: float
    first_time: str
    last_time: str
    input_tokens: Lengths
    output_tokens: Lengths
    images: int
    notes: tuple[str, ...]

    @property
    def has_prefix_info(self) -> bool:
        """Whether prefixes can be compared, so that a hit rate means something."""
        return self.block_size is not None

    @property
    def requests(self) -> int:
        """Rows that are replayed: `rows` less the sum of `rows_dropped`."""
        return self.rows - sum(self.rows_dropped.values())
