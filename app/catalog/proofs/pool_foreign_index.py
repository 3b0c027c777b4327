"""An index that belongs to nobody."""

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import ServerCase
from app.catalog.requests import at_once

CAUSES = (
    Cause(
        name="position-for-a-row",
        title="A caller takes a position in the batch for a row",
        setting="48 rows; 8 requests of 100 tokens run and end. The first one gives back "
        "position 0, which is the padding row.",
        case=ServerCase(
            offered=at_once(8, prompt=100, output=20), conditions=(("frees-the-padding-row", {}),)
        ),
        tries=(Try("mend-the-caller", server(lambda case: case.without("frees-the-padding-row"))),),
    ),
)
