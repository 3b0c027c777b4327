"""How a trace is to be read where the file leaves it open, or where the reader knows better."""

from dataclasses import dataclass

from app.traces.unit_names import WORDS

MAX_BLOCK_TOKENS = 1 << 20
SCOPES = ("file", "session")
ROUNDINGS = ("ceil", "floor")
MAX_RATE = 1e6


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """Choices of whoever reads; None leaves each to the file.

    Attributes:
        time_unit: ns, us, ms or s instead of the detected unit.
        block_size: tokens per hash id instead of the detected number.
        rounding: `ceil` or `floor`: whether a last, partial block has an id.
        hash_scope: `file` or `session`: where equal ids mean equal prefixes.
        arrivals: `poisson:RATE`, requests a second: draw arrivals, for files without any.
        spread_ticks: spread arrivals that share a tick of the log over the time to the next tick.
        window: `START:END` in seconds of a table of rates; which part becomes requests.
        seed: of everything drawn.

    Raises:
        ValueError: a value out of range; the text says what is accepted.
    """

    time_unit: str | None = None
    block_size: int | None = None
    rounding: str | None = None
    hash_scope: str | None = None
    arrivals: str | None = None
    spread_ticks: bool = False
    window: str | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        _one_of("time_unit", self.time_unit, tuple(WORDS))
        _one_of("rounding", self.rounding, ROUNDINGS)
        _one_of("hash_scope", self.hash_scope, SCOPES)
        if self.block_size is not None and not 0 < self.block_size <= MAX_BLOCK_TOKENS:
            raise ValueError(f"block_size {self.block_size}: give 1 to {MAX_BLOCK_TOKENS:,} tokens")
        poisson_rate(self.arrivals)
        window_s(self.window)


def poisson_rate(arrivals: str | None) -> float | None:
    """Requests per second of `poisson:RATE`; None for None.

    Raises:
        ValueError: anything else.
    """
    if arrivals is None:
        return None
    kind, _, number = arrivals.partition(":")
    rate = _number(number)
    if kind != "poisson" or rate is None or not 0 < rate <= MAX_RATE:
        raise ValueError(
            f"arrivals {arrivals!r}: give poisson:RATE in requests per second, e.g. poisson:3"
        )
    return rate


def window_s(window: str | None) -> tuple[float, float] | None:
    """Start and end in seconds of `START:END`; None for None.

    Raises:
        ValueError: anything else.
    """
    if window is None:
        return None
    start, end = (_number(part) for part in (window.partition(":")[0], window.partition(":")[2]))
    if start is None or end is None or not 0 <= start < end <= 1e9:
        raise ValueError(f"window {window!r}: give START:END in seconds, e.g. 36600:40200")
    return start, end


def _one_of(name: str, given: str | None, choices: tuple[str, ...]) -> None:
    if given is not None and given not in choices:
        raise ValueError(f"{name} {given!r}: give one of {', '.join(choices)}")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
