"""Requests for the catalog's cases: few words for lists of plain data."""

from app.traces.request import TraceRequest

MS = 1_000_000


def at_once(count: int, *, prompt: int, output: int, first: int = 0) -> tuple[TraceRequest, ...]:
    """`count` requests at time 0; prompts share nothing."""
    return every(0, count, prompt=prompt, output=output, first=first)


def every(
    gap_ms: float,
    count: int,
    *,
    prompt: int,
    output: int,
    first: int = 0,
    start_ms: float = 0.0,
    image_bytes: tuple[int, ...] = (),
) -> tuple[TraceRequest, ...]:
    """`count` requests, `gap_ms` apart; ids from `first`.

    Args:
        gap_ms: between two arrivals, simulated ms.
        count: how many.
        prompt: input tokens of each.
        output: output tokens of each.
        first: id of the first.
        start_ms: arrival of the first.
        image_bytes: features of each, bytes.
    """
    return tuple(
        TraceRequest(
            rid=first + number,
            arrival_ns=int((start_ms + number * gap_ms) * MS),
            input_tokens=prompt,
            output_tokens=output,
            image_bytes=image_bytes,
        )
        for number in range(count)
    )
