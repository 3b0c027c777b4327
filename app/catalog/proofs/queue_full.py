"""More requests than may wait."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import at_once, every

_SERVER = replace(SMALL_SERVER, max_running_requests=8, max_queued_requests=16)
_SPREAD = every(400, 40, prompt=100, output=50)

CAUSES = (
    Cause(
        name="burst",
        title="More arrives at once than may wait",
        setting="8 requests may run and 16 may wait; 40 requests of 50 output tokens arrive at "
        "once.",
        case=ServerCase(server=_SERVER, offered=at_once(40, prompt=100, output=50)),
        tries=(
            Try("back-off", server(lambda case: replace(case, offered=_SPREAD))),
            Try("raise-max-queued", server(lambda case: case.flags(max_queued_requests=64))),
        ),
    ),
)
