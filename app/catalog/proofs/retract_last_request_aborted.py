"""One request that outgrows what is left of the pool."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import at_once

_CASE = ServerCase(
    server=replace(SMALL_SERVER, max_total_tokens=8_192, context_length=8_192),
    offered=at_once(1, prompt=100, output=5_000),
    conditions=(("sessions-hold-tokens", {"tokens": 3_840}),),
)

CAUSES = (
    Cause(
        name="longer-than-what-is-left",
        title="One request outgrows what sessions leave of the pool",
        setting="8,192 tokens, of which a session holds 3,840. One request of 100 tokens asks for "
        "5,000 tokens of output; admission counts at most 4,096 of them.",
        case=_CASE,
        tries=(
            Try("bound-the-request", server(lambda case: case.flags(context_length=4_096))),
            Try("enlarge", server(lambda case: case.flags(max_total_tokens=16_384))),
            Try("end-the-holder", server(lambda case: case.without("sessions-hold-tokens"))),
        ),
    ),
)
