"""A gather met a req_to_token table without columns."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="dflash-req-to-token-empty",
    id="be1a1e9f187fdce0",
    title="Gather from a table without columns",
    verdict="`req_to_token` has no columns while positions are to be read from it. A normal start "
    "cannot get here, and free rows have no part in it: report it.",
    severity="critical",
    exception="RuntimeError",
    message="{context} req_to_token table is empty but gather mask is non-empty.",
    line="{context:phrase} req_to_token table is empty but gather mask is non-empty.",
    pool="speculative",
    reach="invariant",
    figures=(Figure("context", "the gather that failed"),),
    meaning="The check is on the width of the table, the context length, not on its rows.",
    trigger="The table is 0 columns wide and the mask selects a position.",
    source=(
        Source(
            path="python/sglang/srt/speculative/dflash_worker_v2.py",
            function="DFlashWorkerV2._gather_req_to_token_masked",
            line=1165,
            description="Guards a gather over the columns against an empty table.",
        ),
    ),
    flags=(known("--context-length", "none", "Sets the width, context length + 4 or more."),),
    remedies=(
        Remedy(
            key="mend-the-caller",
            text="Pass the table that the request pool owns; report a plug-in that passes another.",
            status="proved",
        ),
        Remedy(
            key="more-rows",
            text="Raise the number of rows.",
            status="refuted",
            proof="The check is on the width of the table.",
        ),
    ),
    proven=True,
    related=("alloc-req-slots-exhausted",),
)
