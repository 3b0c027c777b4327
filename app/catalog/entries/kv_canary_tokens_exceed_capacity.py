"""The KV canary's token buffer is too small."""

from app.catalog.entry import ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

ENTRY = ErrorEntry(
    code="kv-canary-tokens-exceed-capacity",
    id="96c5e40c6ee21f08",
    title="KV canary: more tokens than its buffer",
    verdict="The KV self-check has no room for a prefill this long. Turn chunked prefill on, or "
    "raise the lower of `--chunked-prefill-size` and `--max-prefill-tokens`.",
    severity="critical",
    exception="RuntimeError",
    message="kv-canary: forward_batch token count={num_tokens} exceeds pre-allocated "
    "write_entry_capacity={self._write_entry_capacity}; raise --chunked-prefill-size / "
    "--max-prefill-tokens or check CanaryLaunchCapacities.from_args",
    line="kv-canary: forward_batch token count={num_tokens} exceeds pre-allocated "
    "write_entry_capacity={write_entry_capacity}; raise --chunked-prefill-size / "
    "--max-prefill-tokens or check CanaryLaunchCapacities.from_args",
    pool="kv_canary",
    reach="operator",
    figures=(
        Figure("num_tokens", "tokens in the batch", "tokens"),
        Figure("write_entry_capacity", "tokens the buffer holds", "tokens"),
    ),
    meaning="The canary writes a mark per token into a buffer made at start.",
    trigger="Tokens exceed max(batch x draft tokens, min(`--max-prefill-tokens`, "
    "`--chunked-prefill-size`)). The usual way: chunking is off and the first request of a batch "
    "exceeds `--max-prefill-tokens`.",
    source=(
        Source(
            path="python/sglang/srt/kv_canary/single_forward_manager/manager.py",
            function="SingleForwardManager.pre_ops_outside_graph",
            line=139,
            description="Compares the tokens with the buffer before each forward pass.",
        ),
    ),
    flags=(
        known("--max-prefill-tokens", "raise"),
        known("--chunked-prefill-size", "raise"),
        known("--speculative-num-draft-tokens", "none"),
        known("--kv-canary", "none"),
    ),
    remedies=(
        Remedy(
            key="chunk-or-raise",
            status="proved",
            text="Turn chunked prefill on, or raise `--max-prefill-tokens` above the longest "
            "prompt.",
            direction="raise",
            flag="--max-prefill-tokens",
        ),
        Remedy(
            text="`--kv-canary none` meanwhile; it is the default.",
            flag="--kv-canary",
            reason="the check is gone then, the cause is not",
        ),
        Remedy(
            text="Raise one of the two flags, whichever.",
            status="refuted",
            direction="raise",
            flag="--chunked-prefill-size",
            proof="The lower of the two binds: with 8,192 and 16,384, raising the second to any "
            "value leaves the capacity at 8,192.",
        ),
    ),
    proven=True,
    related=("kv-canary-batch-exceeds-capacity", "kv-prefill-oom"),
)
