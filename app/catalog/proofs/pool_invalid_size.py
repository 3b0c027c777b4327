"""A negative amount."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import at_once

NAME = "subtracts-the-wrong-way"

CAUSES = (
    Cause(
        name="negative-amount",
        title="A caller subtracts the wrong way round",
        setting="A host pool at page 16; 8 requests of 100 tokens end, and each asks for minus 112 "
        "host slots.",
        case=ServerCase(
            server=replace(SMALL_SERVER, hicache_ratio=2.0),
            offered=at_once(8, prompt=100, output=20),
            conditions=((NAME, {}),),
        ),
        tries=(Try("mend-the-caller", server(lambda case: case.without(NAME))),),
    ),
)
