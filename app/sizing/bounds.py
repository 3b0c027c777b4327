"""All limits on running requests side by side, the smallest marked."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from app.sizing import rules
from app.sizing.plan import PoolPlan

#: prompt and output of a usual request, where nobody says
USUAL_REQUEST_TOKENS = 4096


@dataclass(frozen=True, slots=True)
class Bound:
    """One limit on requests that run at once.

    Attributes:
        name: what sets it.
        low, high: requests; equal where it is known.
        rule: how it follows.
        kind: `rows` when it decides the request table, `tokens` when requests of a length fill a
            pool before the rows are used up.
        binding: whether it is the smallest, at either end.
    """

    name: str
    low: int
    high: int
    rule: str
    kind: str = "rows"
    binding: bool = False


def marked(bounds: Sequence[Bound]) -> tuple[Bound, ...]:
    """The same bounds, with the smallest at each end marked."""
    lowest, highest = min(one.low for one in bounds), min(one.high for one in bounds)
    return tuple(
        dataclasses.replace(one, binding=one.low == lowest or one.high == highest) for one in bounds
    )


def bounds_of(plan: PoolPlan, request_tokens: int = USUAL_REQUEST_TOKENS) -> tuple[Bound, ...]:
    """Limits of a server whose token capacity is known."""
    args, tokens = plan.args, plan.kv_tokens
    found = [
        rows_asked(
            args.max_running_requests, args.attn_dp_size, (tokens, tokens), plan.context_len
        ),
        half_of((tokens, tokens)),
        by_tokens((tokens, tokens), request_tokens, plan.page_size),
    ]
    return marked(found)


def rows_asked(asked: int | None, workers: int, tokens: tuple[int, int], context_len: int) -> Bound:
    """The flag, or what the server derives without it."""
    if asked is None:
        low, high = (rules.rows_estimate(count, context_len) for count in tokens)
        rule = (
            f"KV tokens / context × 512, held within {rules.ROWS_ESTIMATE_FLOOR:,} and "
            f"{rules.ROWS_ESTIMATE_CEILING:,}"
        )
        return Bound("rows without the flag", low, high, rule)
    each = max(1, asked // workers)
    shared = f" / {workers} attention-DP workers" if workers > 1 else ""
    return Bound("--max-running-requests", each, each, f"{asked:,}{shared}")


def half_of(tokens: tuple[int, int]) -> Bound:
    """No request takes fewer than two tokens."""
    return Bound("half the KV tokens", tokens[0] // 2, tokens[1] // 2, "KV tokens / 2")


def by_tokens(tokens: tuple[int, int], request_tokens: int, page_size: int) -> Bound:
    """Requests of one length, none sharing anything, until the KV pool is full."""
    each = -(-request_tokens // page_size) * page_size
    return Bound(
        f"KV at {request_tokens:,} tokens each",
        tokens[0] // each,
        tokens[1] // each,
        f"KV tokens / {each:,}: whole pages, nothing shared",
        kind="tokens",
    )
