"""A table without columns."""

from app.catalog.cause import Cause, Try, build
from app.catalog.lab import BuildCase

CAUSES = (
    Cause(
        name="table-without-columns",
        title="A plug-in passes a table that has rows and no columns",
        setting="A table of 49 rows and 0 columns, from which 16 positions are read.",
        case=BuildCase(pool="token_gather", options={"rows": 49, "columns": 0}, offered=(16,)),
        tries=(
            Try("mend-the-caller", build(lambda case: case.built(columns=2_052))),
            Try("more-rows", build(lambda case: case.built(rows=1_025))),
        ),
    ),
)
