"""What the three out-of-memory errors of the token pool have in common."""

from app.catalog.entry import Figure, Flag, Remedy, Status
from app.catalog.flags import known

PATH = "python/sglang/srt/mem_cache/allocation.py"

#: The lines below the first, in the layouts that logs of 0.4 and 0.5 show: one line or several,
#: a prefix on each, underscores lost, token pool alone or with window and state pools.
DETAILS = (
    r"Ava(?:il|li)able (?:full )?tokens: {0,4}(?P<reclaimable_tokens>\d{1,12})",
    r"\bavailable_size=(?P<available_tokens>-?\d{1,12}) \+ evictable_size=",
    r"\bfull_available_size=(?P<available_tokens>-?\d{1,12})",
    r"allocator[. ]available[_ ]size\(\)=(?P<available_tokens>-?\d{1,12})",
    r" \+ evictable_size=(?P<evictable_tokens>-?\d{1,12})",
    r"\bfull_evictable_size_?=(?P<evictable_tokens>-?\d{1,12})",
    r"cache[. ]evictable[_ ]size\(\)=(?P<evictable_tokens>-?\d{1,12})",
    r"\bswa_available(?:_size)?=(?P<swa_available_tokens>-?\d{1,12})",
    r"\bswa_evictable(?:_size_?)?=(?P<swa_evictable_tokens>-?\d{1,12})",
    r"Available swa: \d{1,12} \(available_size=(?P<swa_available_tokens>-?\d{1,12})",
    r"Available mamba: \d{1,12} \(available_size=(?P<mamba_available_slots>-?\d{1,12})",
    r"Available mamba: \d{1,12} \(available_size=-?\d{1,12} \+ "
    r"component_evictable_size_=(?P<mamba_evictable_slots>-?\d{1,12})",
)

FIGURES = (
    Figure("need_tokens", "what the batch asked for", "tokens"),
    Figure("reclaimable_tokens", "free plus evictable", "tokens"),
    Figure("available_tokens", "free", "tokens"),
    Figure("evictable_tokens", "cached prefixes that no request uses", "tokens"),
)

READ_THE_TAIL = Remedy(
    text="Read the tail first. Available plus evictable far below the demand: the pool is full. "
    "Free tokens above the demand: page rounding, since pages are handed out, not tokens. Much "
    "evictable: locked, or eviction could not return it in that step. The last two are faults "
    "of admission: upgrade.",
    reason="it tells the causes apart; there is nothing in it to run",
    seen="page rounding: sgl-project/sglang#4602, #5081, #7397, #22495; eviction: #34676 (open)",
)
UPGRADE = Remedy(
    key="upgrade",
    text="Upgrade to a build whose check counts what the pool hands out: whole pages, and no "
    "prefix that is in use.",
    status="proved",
    not_when="the tail shows a pool that is really full",
)
ENLARGE = Remedy(
    key="enlarge",
    text="Enlarge the pool: `--mem-fraction-static` up, an fp8 `--kv-cache-dtype`, more GPUs.",
    status="proved",
    direction="raise",
    flag="--mem-fraction-static",
    cost="less room for activations; a CUDA out-of-memory in a forward pass wants the opposite",
    not_when="load grows with the pool: a faulty check then fails at the larger size",
)
SMALLER_PAGE = Remedy(
    key="smaller-page",
    text="Lower `--page-size`: at 1 a page is a token and nothing is rounded.",
    status="proved",
    direction="lower",
    flag="--page-size",
    cost="more book-keeping per token; some attention back ends need a given page",
    not_when="the page is 1 already",
)
FEWER_RUNNING = Remedy(
    key="fewer-running",
    text="Lower `--max-running-requests`.",
    status="avoids",
    direction="lower",
    flag="--max-running-requests",
    cost="less runs at once, and a faulty check is as faulty as before",
)


def conservative(status: Status, proof: str) -> Remedy:
    """`--schedule-conservativeness`, with what it came to for this error."""
    return Remedy(
        key="more-conservative",
        text="Raise `--schedule-conservativeness`; 1.3 is common.",
        status=status,
        direction="raise",
        flag="--schedule-conservativeness",
        proof=proof,
        cost="" if status == "refuted" else "less runs at once",
    )


MEANING = (
    "After evicting what it could from the prefix cache, the scheduler still could not get the KV "
    "slots that a batch it had admitted needs. It stops, and the server's processes with it. "
    "`Lower your batch size` is not one flag: chunk size, request limit and the reserve for "
    "running requests all bear on it."
)


def flags() -> tuple[Flag, ...]:
    """Flags of all three, the most useful first."""
    return (
        known("--mem-fraction-static", "raise"),
        known("--kv-cache-dtype", "lower"),
        known("--schedule-conservativeness", "raise"),
        known("--max-running-requests", "lower"),
        known("--max-total-tokens", "raise"),
    )
