"""A request that two code paths end."""

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import ServerCase
from app.catalog.requests import at_once

CAUSES = (
    Cause(
        name="ended-twice",
        title="Two code paths end the same request",
        setting="48 rows; 8 requests of 100 tokens run and end. Each gives its row back twice.",
        case=ServerCase(
            offered=at_once(8, prompt=100, output=20), conditions=(("frees-twice", {}),)
        ),
        tries=(
            Try("mend-the-caller", server(lambda case: case.without("frees-twice"))),
            Try("upstream-checks", server(lambda case: case.flags(checks="upstream"))),
        ),
    ),
)
