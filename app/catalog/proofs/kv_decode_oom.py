"""Decode steps for which the retract check saw no need to make room."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import every

_CASE = ServerCase(
    server=replace(
        SMALL_SERVER, max_total_tokens=4_096, page_size=64, schedule_conservativeness=0.3
    ),
    offered=tuple(
        request
        for group in range(6)
        for request in every(0, 4, prompt=127, output=400, first=4 * group, start_ms=150 * group)
    ),
    conditions=(("retract-counts-tokens", {}),),
)

CAUSES = (
    Cause(
        name="page-rounding",
        title="The retract check counts tokens, the step takes pages",
        setting="64 pages of 64 tokens, conservativeness 0.3. 24 requests of up to 527 tokens "
        "come in groups of 4, each group at its page boundaries together. The check asks for a "
        "token per request, the step for a page.",
        case=_CASE,
        tries=(
            Try("upgrade", server(lambda case: case.without("retract-counts-tokens"))),
            Try("enlarge", server(lambda case: case.flags(max_total_tokens=16_384))),
            Try("smaller-page", server(lambda case: case.flags(page_size=1))),
            Try(
                "more-conservative",
                server(lambda case: case.flags(schedule_conservativeness=1.3)),
            ),
            Try("fewer-running", server(lambda case: case.flags(max_running_requests=8))),
        ),
    ),
)
