"""A prompt is longer than one request may be."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="input-exceeds-max-length",
    id="9ba1bad833cf64f2",
    title="Prompt longer than allowed",
    verdict="One prompt is longer than a request may be. The bound is the smaller of context "
    "length and KV pool: see which, then shorten the prompt or raise that one.",
    severity="error",
    exception="abort (HTTP 400)",
    message="Input length ({len(req.origin_input_ids)} tokens) exceeds the maximum allowed length "
    "({max_req_input_len} tokens). Use a shorter input or enable --allow-auto-truncate.",
    line="Input length ({input_tokens} tokens) exceeds the maximum allowed length "
    "({max_req_input_len} tokens). Use a shorter input or enable --allow-auto-truncate.",
    also=(
        "Input length ({input_tokens} tokens) exceeds the maximum allowed length "
        "({max_req_input_len} tokens)",
    ),
    pool="scheduler",
    reach="operator",
    figures=(
        Figure("input_tokens", "length of the prompt", "tokens"),
        Figure("max_req_input_len", "the bound: a prompt of this length is refused too", "tokens"),
    ),
    meaning="The prompt alone would not leave room for an answer. It is refused when it arrives; "
    "nothing else is touched.",
    trigger="Prompt length is at least min(context length - 1, KV tokens - 1) - 5.",
    source=(
        Source(
            path="python/sglang/srt/managers/utils.py",
            function="validate_input_length",
            line=282,
            description="Compares the prompt with the bound; truncates or refuses.",
        ),
    ),
    flags=(
        known("--context-length", "raise", "One of the two bounds; the model has its own limit."),
        known("--mem-fraction-static", "raise", "Raises the other bound, the KV pool."),
        known("--allow-auto-truncate", "none"),
    ),
    remedies=(
        Remedy(key="shorten", text="Shorten the prompt.", status="avoids", direction="lower"),
        Remedy(
            key="raise-context-length",
            text="Where the context length is the smaller bound: raise `--context-length`, as far "
            "as the model allows.",
            status="proved",
            direction="raise",
            flag="--context-length",
            not_when="the KV pool is the smaller bound",
            cost="4 bytes per row and token of context, outside the KV budget",
        ),
        Remedy(
            key="enlarge",
            text="Where the KV pool is the smaller bound: enlarge it, `--mem-fraction-static` up.",
            status="proved",
            direction="raise",
            flag="--mem-fraction-static",
            cost="less room for activations",
            not_when="the context length is the smaller bound",
        ),
        Remedy(
            text="`--allow-auto-truncate`, where losing the end of the prompt is acceptable.",
            flag="--allow-auto-truncate",
            reason="truncation is not modelled here",
            cost="the end of the prompt is dropped",
        ),
    ),
    proven=True,
    related=("retract-last-request-aborted", "queue-full"),
)
