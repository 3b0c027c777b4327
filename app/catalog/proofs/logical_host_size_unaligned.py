"""A host pool with part of a page."""

from app.catalog.cause import Cause, Try, build
from app.catalog.lab import BuildCase

CAUSES = (
    Cause(
        name="size-in-tokens",
        title="A caller passes a number of tokens that is no whole number of pages",
        setting="A host pool of 1,000 slots at page 16, to hold 3 allocations of 320 slots.",
        case=BuildCase(
            pool="host_logical", options={"size": 1_000, "page_size": 16}, offered=(320,) * 3
        ),
        tries=(Try("whole-pages", build(lambda case: case.built(size=1_008))),),
    ),
)
