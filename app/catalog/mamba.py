"""What the errors of the state-slot pool have in common."""

from app.catalog.entry import Flag, Remedy
from app.catalog.flags import known

MEANING = (
    "Hybrid models keep one recurrent state per request beside the KV tokens, and more for cached "
    "prefixes and for tracking: three to five slots per request are common. They are a pool of "
    "their own. Token usage may be low while it is empty."
)
MORE_SLOTS = Remedy(
    text="More state slots: raise `--max-mamba-cache-size` or `--mamba-full-memory-ratio`.",
    direction="raise",
    flag="--max-mamba-cache-size",
    cost="fewer KV tokens in the same budget",
)
FEWER = Remedy(
    text="Lower `--max-running-requests` so that slots per request times requests fit.",
    direction="lower",
    flag="--max-running-requests",
    cost="fewer requests run at once",
)
SMALLER = Remedy(
    text="Halve a slot with `--mamba-ssm-dtype bfloat16`.",
    flag="--mamba-ssm-dtype",
    cost="precision of the state",
)


def flags() -> tuple[Flag, ...]:
    """Flags that bear on the number of slots."""
    return (
        known("--max-mamba-cache-size", "raise"),
        known("--mamba-full-memory-ratio", "raise"),
        known("--max-running-requests", "lower"),
        known("--mamba-ssm-dtype", "none"),
        known("--mamba-radix-cache-strategy", "none"),
    )
