"""More top logprobs were asked for than the disaggregation buffer holds."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source

ENTRY = ErrorEntry(
    code="pd-top-logprobs-exceeds-metadata",
    id="8de22e64c5e225ba",
    title="Too many top logprobs for disaggregation",
    verdict="A request asked a prefill server for more top logprobs than its metadata buffer holds "
    "(128), and the scheduler stops. Refuse such requests at the gateway; no flag enlarges it.",
    severity="critical",
    exception="RuntimeError",
    message="top_logprobs_num {top_logprobs_len} exceeds disaggregation metadata capacity "
    "{max_top_logprobs_len}. Lower top_logprobs_num or increase the metadata buffer.",
    line="top_logprobs_num {top_logprobs_num} exceeds disaggregation metadata capacity "
    "{max_top_logprobs_num}. Lower top_logprobs_num or increase the metadata buffer.",
    pool="pd_metadata",
    reach="operator",
    figures=(
        Figure("top_logprobs_num", "logprobs asked for per token"),
        Figure("max_top_logprobs_num", "what the buffer holds"),
    ),
    meaning="Prefill hands the first token's logprobs to decode in a buffer of fixed width. The "
    "number is tested in the scheduler, not when the request arrives, so one client stops the "
    "server.",
    trigger="A prefill request with more than 128 top logprobs on a disaggregated server.",
    source=(
        Source(
            path="python/sglang/srt/disaggregation/utils.py",
            function="MetadataBuffers.set_buf",
            line=616,
            description="Compares the number with the width of the buffer. 128 is a default of "
            "the constructor that no caller changes.",
        ),
    ),
    remedies=(
        Remedy(
            key="ask-for-less",
            status="avoids",
            text="Ask for at most 128; refuse more at the gateway.",
            direction="lower",
            cost="clients get fewer logprobs",
        ),
        Remedy(
            text="Increase the metadata buffer, as the message says.",
            status="refuted",
            direction="raise",
            proof="There is no flag: 128 is a constructor default, and both places that build the "
            "buffer leave it.",
        ),
    ),
    proven=True,
    related=("alloc-req-slots-exhausted",),
)
