"""Outputs that turn out longer than admission reserved for."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import every

_CASE = ServerCase(
    server=replace(SMALL_SERVER, max_total_tokens=4_096, schedule_conservativeness=0.3),
    offered=every(60, 16, prompt=256, output=240),
)

CAUSES = (
    Cause(
        name="outputs-outgrow-the-reserve",
        title="Outputs grow beyond what admission kept back for them",
        setting="256 pages of 16 tokens, conservativeness 0.3. 16 requests of 256 tokens with 240 "
        "tokens of output each, 0.06 s apart.",
        case=_CASE,
        tries=(
            Try(
                "more-conservative",
                server(lambda c: tuple(c.flags(schedule_conservativeness=x) for x in (1.0, 1.3))),
            ),
            Try("enlarge", server(lambda case: case.flags(max_total_tokens=16_384))),
            Try("fewer-running", server(lambda case: case.flags(max_running_requests=6))),
        ),
    ),
)
