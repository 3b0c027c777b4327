"""Page size 1: prefill batches that admission should not have let in."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import every

_CASE = ServerCase(
    server=replace(SMALL_SERVER, max_total_tokens=4_096, page_size=1),
    offered=(
        *every(1, 2, prompt=1_500, output=200),
        *every(1, 4, prompt=1_500, output=20, first=2, start_ms=400),
    ),
    conditions=(("locked-counts-as-evictable", {}),),
)

CAUSES = (
    Cause(
        name="locked-counted-as-evictable",
        title="Admission counts on prefixes that are in use",
        setting="4,096 tokens at page size 1. Two requests of 1,500 tokens run; four more come, "
        "and admission counts what the first two hold as evictable.",
        case=_CASE,
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
