"""Two sides of a copy that were sized apart."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import at_once

NAME = "backs-up-raw-length"

CAUSES = (
    Cause(
        name="host-side-rounded-up",
        title="The host request is rounded up to a page, the device side is not",
        setting="Page 16. 8 requests of 37 tokens end; each is backed up from 37 device slots to "
        "48 host slots.",
        case=ServerCase(
            server=replace(SMALL_SERVER, hicache_ratio=2.0),
            offered=at_once(8, prompt=33, output=5),
            conditions=((NAME, {"mend": "round host request up"}),),
        ),
        tries=(
            Try("align-first", server(lambda case: case.instead(NAME, mend="cut range first"))),
        ),
    ),
)
