"""Requests were pushed back to the queue because the next decode step did not fit."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="retract-kv-pool-full",
    id="0af3c7ace2180f38",
    title="Requests retracted: the KV pool is full",
    verdict="The KV pool could not hold the next decode step, so requests went back to the queue. "
    "About once a minute is normal; if it repeats, raise `--schedule-conservativeness` or the "
    "pool.",
    severity="warning",
    exception="log:warning",
    message="KV cache pool is full. Retract requests. #retracted_reqs: {len(retracted_reqs)}, "
    "#new_tokens_gained: {new_token_gained}, #mamba_num_gained: {mamba_num_gained}, "
    "#new_token_ratio: {old_ratio} -> {new_token_ratio}",
    line="KV cache pool is full. Retract requests. #retracted_reqs: {retracted_reqs}, "
    "#new_tokens_gained: {new_tokens_gained}, #mamba_num_gained: {mamba_num_gained}, "
    "#new_token_ratio: {old_ratio:float} -> {new_token_ratio:float}",
    also=(
        "KV cache pool is full. Retract requests. #retracted_reqs: {retracted_reqs}, "
        "#new_tokens_gained: {new_tokens_gained}, "
        "#new_token_ratio: {old_ratio:float} -> {new_token_ratio:float}",
        "KV cache pool is full. Retract requests. #retracted_reqs: {retracted_reqs}, "
        "#new_token_ratio: {old_ratio:float} -> {new_token_ratio:float}",
        "KV cache pool is full. Retract requests. #retracted_reqs: {retracted_reqs}",
        "Decode out of memory happened. #retracted_reqs: {retracted_reqs}, "
        "#new_token_ratio: {old_ratio:float} -> {new_token_ratio:float}",
    ),
    pool="kv_pages",
    reach="operator",
    figures=(
        Figure("retracted_reqs", "requests pushed back; each is prefilled again", "requests"),
        Figure("new_tokens_gained", "tokens that became free", "tokens"),
        Figure("mamba_num_gained", "state slots that became free (hybrid models)", "slots"),
        Figure("old_ratio", "reserve per running request before, as a share of its limit"),
        Figure("new_token_ratio", "the same after"),
    ),
    meaning="The scheduler admits on a guess of how long outputs will be. When the guess was too "
    "low and the next step does not fit even after eviction, it takes back the requests with the "
    "shortest outputs. Nothing fails, but their prompts and outputs are computed again.",
    trigger="Fewer pages available after eviction than running requests at a page boundary.",
    source=(
        Source(
            path="python/sglang/srt/managers/scheduler.py",
            function="Scheduler.update_running_batch",
            line=4526,
            description="Retracts until the next step fits, raises the reserve, and logs this "
            "once. The state-slot field is there for hybrid models only.",
        ),
    ),
    flags=(
        known("--schedule-conservativeness", "raise"),
        known("--mem-fraction-static", "raise"),
        known("--max-running-requests", "lower"),
        known("--page-size", "lower"),
    ),
    situations=(
        "Two generations without an output limit fill the pool alone: a matter of length, not of "
        "concurrency (sgl-project/sglang#2746).",
        "Very long contexts: one retraction throws away the prefill of half a million tokens "
        "(sgl-project/sglang#26248).",
        "The line is printed once per rank: count timestamps.",
    ),
    remedies=(
        Remedy(
            key="more-conservative",
            status="avoids",
            text="Raise `--schedule-conservativeness`, 1.3 for example: more is kept back for "
            "running requests.",
            direction="raise",
            flag="--schedule-conservativeness",
            cost="fewer requests run at once",
        ),
        Remedy(
            key="enlarge",
            status="proved",
            text="Enlarge the pool: `--mem-fraction-static` up, an fp8 `--kv-cache-dtype`.",
            direction="raise",
            flag="--mem-fraction-static",
            cost="less room for activations",
        ),
        Remedy(
            key="fewer-running",
            status="avoids",
            text="Lower `--max-running-requests`, or cap `max_new_tokens`.",
            direction="lower",
            flag="--max-running-requests",
            cost="less work is taken in",
        ),
    ),
    proven=True,
    related=("retract-last-request-aborted", "kv-decode-oom", "kv-prefill-oom"),
    reports=(
        "sgl-project/sglang#4184",
        "sgl-project/sglang#2746",
        "sgl-project/sglang#26248",
    ),
)
