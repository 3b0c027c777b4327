"""What the four leak messages of the KV pools have in common."""

from app.catalog.entry import Figure, Remedy, Source

CHECKER = "python/sglang/srt/managers/scheduler_components/invariant_checker.py"

PARTS = (
    "[{pool:word}] total={total}, available={available}, evictable={evictable}, "
    "protected={protected}, session_held={session_held}, uncached={uncached}"
)
FIGURES = (
    Figure("pool", "which pool the parts are of: full, swa or mamba; read every line"),
    Figure("total", "capacity", "tokens or slots"),
    Figure("available", "free", "tokens or slots"),
    Figure("evictable", "cached prefixes that no request uses", "tokens or slots"),
    Figure("protected", "cached prefixes that a request uses; never negative", "tokens or slots"),
    Figure("session_held", "kept for open sessions", "tokens or slots"),
    Figure("uncached", "of running requests, not in the tree", "tokens or slots"),
)
#: parts of other layouts, read where the first line has none
DETAILS = (
    r"\] total=(?P<total>-?\d{1,20}), available=(?P<available>-?\d{1,20}), "
    r"evictable=(?P<evictable>-?\d{1,20}), protected=(?P<protected>-?\d{1,20})",
    r"max_total_num_tokens=(?P<total>\d{1,20})",
    r"token_to_kv_pool_allocator\.size=(?P<total>\d{1,20})",
    r"expected=(?P<total>\d{1,20}), avail=(?P<available>-?\d{1,20}), "
    r"evict=(?P<evictable>-?\d{1,20}), protected=(?P<protected>-?\d{1,20})",
    r"allocator\.available_size\(\)=(?P<available>-?\d{1,20})",
    r"\b(?:full_)?available_size=(?P<available>-?\d{1,20})",
    r"tree_cache\.evictable_size\(\)=(?P<evictable>-?\d{1,20})",
    r"\b(?:full_)?evictable_size=(?P<evictable>-?\d{1,20})",
    r"\bprotected_size(?:\(\))?=(?P<protected>-?\d{1,20})",
)
MEANING = (
    "Each unit of a pool is free, evictable, protected, held by a session or held by a request. "
    "Total minus the sum of these is the residual. Above zero: units are lost, nobody will free "
    "them. Below zero: units are counted twice, two owners may write to one page. The message "
    "names one pool; with window or state pools, work out every line."
)
REMEDIES = (
    Remedy(
        text="Work out the residual of each pool, then upgrade, or switch off the feature whose "
        "path loses it (speculation with pages, host write-back, disaggregation, hybrid state).",
        seen="fixed per path: sgl-project/sglang#7130, #16067, #27789",
    ),
    Remedy(
        text="Enlarge the pool.",
        status="refuted",
        direction="raise",
        flag="--mem-fraction-static",
        proof="What is lost per request does not depend on the size of the pool: a larger one "
        "only lasts longer. In sgl-project/sglang#11970 the release before was clean on the same "
        "machine with the same flags.",
    ),
)


def raised_in(function: str, line: int, description: str) -> Source:
    """A place in the checker."""
    return Source(path=CHECKER, function=function, line=line, description=description)
