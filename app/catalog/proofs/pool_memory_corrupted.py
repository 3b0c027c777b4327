"""A wrong index in the KV buffer."""

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import ServerCase
from app.catalog.requests import at_once

CAUSES = (
    Cause(
        name="written-by-a-stranger",
        title="A wrong index reaches the KV buffer",
        setting="48 rows; 8 requests of 100 tokens run and end. Before a request frees its last "
        "page, someone else writes there.",
        case=ServerCase(
            offered=at_once(8, prompt=100, output=20), conditions=(("writes-to-a-neighbour", {}),)
        ),
        tries=(Try("mend-the-caller", server(lambda case: case.without("writes-to-a-neighbour"))),),
    ),
)
