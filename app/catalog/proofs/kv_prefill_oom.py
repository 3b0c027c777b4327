"""Prefill batches that admission should not have let in."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import at_once, every

_SMALL_POOL = replace(SMALL_SERVER, max_total_tokens=4_096, page_size=64)
_ROUNDING = ServerCase(
    server=_SMALL_POOL,
    offered=at_once(200, prompt=17, output=2),
    conditions=(("admission-counts-tokens", {}),),
).flags(max_running_requests=128)
_LOCKED = ServerCase(
    server=replace(_SMALL_POOL, page_size=16),
    offered=(
        *every(1, 2, prompt=1_500, output=200),
        *every(1, 4, prompt=1_500, output=20, first=2, start_ms=400),
    ),
    conditions=(("locked-counts-as-evictable", {}),),
)

CAUSES = (
    Cause(
        name="page-rounding",
        title="Admission counts tokens, the pool hands out pages",
        setting="64 pages of 64 tokens. 200 requests of 17 tokens arrive at once: by tokens they "
        "fit, but each of them takes a page.",
        case=_ROUNDING,
        tries=(
            Try("upgrade", server(lambda case: case.without("admission-counts-tokens"))),
            Try("enlarge", server(lambda case: case.flags(max_total_tokens=16_384))),
            Try("smaller-page", server(lambda case: case.flags(page_size=1))),
            Try(
                "more-conservative",
                server(lambda case: case.flags(schedule_conservativeness=1.3)),
            ),
            Try(
                "smaller-chunk",
                server(lambda c: tuple(c.flags(chunked_prefill_size=n) for n in (1_024, 256))),
            ),
            Try("fewer-running", server(lambda case: case.flags(max_running_requests=48))),
        ),
    ),
    Cause(
        name="locked-counted-as-evictable",
        title="Admission counts on prefixes that are in use",
        setting="256 pages of 16 tokens. Two requests of 1,500 tokens run; four more come, and "
        "admission counts what the first two hold as evictable.",
        case=_LOCKED,
        tries=(
            Try("upgrade", server(lambda case: case.without("locked-counts-as-evictable"))),
            Try("enlarge", server(lambda case: case.flags(max_total_tokens=16_384))),
            Try(
                "more-conservative",
                server(lambda case: case.flags(schedule_conservativeness=1.3)),
            ),
            Try("fewer-running", server(lambda case: case.flags(max_running_requests=2))),
        ),
    ),
)
