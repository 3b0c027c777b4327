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
class TraceInfo:
    """A trace as read.

    Attributes:
        name: the file's name.
        format: the format's name.
        time_unit: unit of its timestamps: ns, us, ms, s or datetime.
        block_size: tokens per hash id; None without prefix information.
        rounding: `ceil` when a last, partial block has an id, `floor` when it has none; None
            without prefix information.
        hash_scope: `file`: equal ids mean equal prefixes in all rows; None without any.
        rows: rows seen, wrong ones included.
        rows_dropped: wrong rows by reason.
        problems: the first wrong rows, each as `file:line: field: problem`.
        span_s: seconds from the first arrival to the last.
        rate_per_s: accepted requests over the span; 0.0 when all arrive at one instant.
        first_time: first timestamp as the file has it.
        last_time: last timestamp as the file has it.
        input_tokens: of the prompts.
        output_tokens: to generate.
        notes: sentences for the reader of a replay: units, assumptions, oddities.
    """

    name: str
    format: str
    time_unit: str
    block_size: int | None
    rounding: str | None
    hash_scope: str | None
    rows: int
    rows_dropped: dict[str, int]
    problems: tuple[str, ...]
    span_s: float
    rate_per_s: float
    first_time: str
    last_time: str
    input_tokens: Lengths
    output_tokens: Lengths
    notes: tuple[str, ...]

    @property
    def has_prefix_info(self) -> bool:
        """Whether prefixes can be compared, so that a hit rate means something."""
        return self.block_size is not None

    @property
    def requests(self) -> int:
        """Rows that are replayed: `rows` less the sum of `rows_dropped`."""
        return self.rows - sum(self.rows_dropped.values())
