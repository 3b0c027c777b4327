"""Prompts above the prefill limit."""

from app.catalog.cause import Cause, Try, build
from app.catalog.lab import BuildCase

CAUSES = (
    Cause(
        name="one-prompt-above-the-limit",
        title="Chunks are off, and one prompt is above the prefill limit",
        setting="Buffers of a server with 256 rows, 16,384 prefill tokens and no chunks; prompts "
        "of 4,000 and of 20,000 tokens.",
        case=BuildCase(
            pool="kv_canary",
            options={"rows": 256, "max_prefill_tokens": 16_384, "of": "tokens"},
            offered=(4_000, 20_000),
        ),
        tries=(
            Try(
                "chunk-or-raise",
                build(
                    lambda case: (
                        case.built(chunked_prefill_size=8_192),
                        case.built(max_prefill_tokens=32_768),
                    )
                ),
            ),
        ),
    ),
)
