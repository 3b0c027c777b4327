"""More rows asked for than half the tokens."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import at_once

CAUSES = (
    Cause(
        name="more-rows-than-half-the-tokens",
        title="The limit asks for more rows than half the token capacity",
        setting="1,024 rows asked for, 1,024 tokens of KV: 512 rows. 40 requests of 16 tokens "
        "arrive at once.",
        case=ServerCase(
            server=replace(SMALL_SERVER, max_running_requests=1_024, max_total_tokens=1_024),
            offered=at_once(40, prompt=16, output=2),
        ),
        tries=(
            Try("enlarge", server(lambda case: case.flags(max_total_tokens=4_096))),
            Try("ask-for-less", server(lambda case: case.flags(max_running_requests=512))),
        ),
    ),
)
