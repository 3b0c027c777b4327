"""A caller that gives part of a page back."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import at_once

NAME = "frees-host-in-part"

CAUSES = (
    Cause(
        name="trims-to-raw-length",
        title="A caller rounds up, then gives the unused part of a page back",
        setting="Page 16. 8 requests of 37 tokens end; each takes 48 host slots and gives 11 back.",
        case=ServerCase(
            server=replace(SMALL_SERVER, hicache_ratio=2.0),
            offered=at_once(8, prompt=33, output=5),
            conditions=((NAME, {}),),
        ),
        tries=(
            Try("free-whole-pages", server(lambda case: case.instead(NAME, whole_pages=True))),
            Try(
                "another-page-size",
                server(lambda case: tuple(case.flags(page_size=p) for p in (32, 64, 128, 256))),
            ),
        ),
    ),
)
