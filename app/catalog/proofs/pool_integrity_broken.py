"""Books that differ because something was lost."""

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import ServerCase
from app.catalog.requests import at_once

CAUSES = (
    Cause(
        name="rows-leak",
        title="A code path loses rows",
        setting="48 rows; 40 requests of 100 tokens, and every 12th that ends leaves its row "
        "behind. Free rows and held rows no longer add up.",
        case=ServerCase(
            offered=at_once(40, prompt=100, output=20), conditions=(("rows-leak", {"every": 12}),)
        ),
        tries=(Try("mend-the-caller", server(lambda case: case.without("rows-leak"))),),
    ),
)
