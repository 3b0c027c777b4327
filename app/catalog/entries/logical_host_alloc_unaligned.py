"""An internal caller asked the logical host pool for part of a page."""

from app.catalog.entry import Claim, ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

_PATH = "python/sglang/srt/mem_cache/memory_pool_host.py"

_REMEDIES = (
    Remedy(
        key="upgrade",
        status="proved",
        text="As an operator: upgrade, or report it with both numbers. No flag value makes an "
        "internal caller ask for whole pages.",
    ),
    Remedy(
        key="cut-the-range",
        text="As a developer: cut the token range to whole pages before anything is taken from "
        "either side, then ask device and host for that same number. Handle None: a full pool does "
        "not raise.",
        status="proved",
        proof="37 tokens at page 16: cut to 32, host and device get 32 each "
        "(`test_aligning_the_range_gives_equal_counts`).",
        cost="the tokens of the last, partial page are not backed up",
    ),
    Remedy(
        key="host-tier-off",
        status="proved",
        text="Turn the host tier off (`--enable-hierarchical-cache` absent) until it is fixed.",
        flag="--enable-hierarchical-cache",
        cost="prefixes evicted from the device are computed again",
    ),
    Remedy(
        key="round-host-request-up",
        text="Round the host request up to a multiple of the page.",
        status="refuted",
        direction="raise",
        proof="The host then holds more indices than the device, and the copy that follows raises "
        "`transfer index size mismatch`: 37 tokens at page 16 become host=48, device=37. One "
        "ValueError is traded for another, and 11 host slots are taken for nothing "
        "(`test_rounding_the_host_request_alone_leaves_unequal_counts`).",
    ),
    Remedy(
        key="catch-and-round-up",
        text="Catch the ValueError and ask again with the rounded size.",
        status="refuted",
        proof="The same mismatch, with the line that names the faulty caller thrown away.",
    ),
    Remedy(
        key="another-page-size",
        text="Set another `--page-size`.",
        status="refuted",
        direction="none",
        flag="--page-size",
        proof="The caller's number does not follow the flag, and the one model family with this "
        "pool fixes its page at 256 in paged sliding-window mode. 37 tokens are refused at 16, "
        "32, 64, 128 and 256 (`test_no_page_size_makes_a_raw_length_whole`).",
    ),
)

_CLAIMS = (
    Claim(
        "User code calls `pool.alloc(len(req.input_ids))`.",
        "Not within a user's reach. The pool is the host anchor of DeepSeek V4's hierarchical "
        "cache, built in one place; its callers pass counts of whole device pages.",
    ),
    Claim(
        "Seen with page size 16.",
        "Does not occur in a server: paged sliding-window mode demands 256. The message prints "
        "the page it was built with.",
    ),
    Claim(
        "Check `available_size()` first.",
        "It takes no lock, so the answer may be stale, and it is no guard against this error: "
        "alignment is tested before capacity. A full pool answers None.",
    ),
)

ENTRY = ErrorEntry(
    code="logical-host-alloc-unaligned",
    id="ba4db60e324417e3",
    title="Host slots asked for in part of a page",
    verdict="Nothing ran out: an internal caller asked the host pool for a number of slots that is "
    "no multiple of the page. No flag fixes it. Upgrade or report it; in code, align the token "
    "range, not the host request alone.",
    severity="error",
    exception="ValueError",
    message="LogicalHostPool allocation must be page-aligned, got need_size={need_size}, "
    "page_size={self.page_size}",
    line="LogicalHostPool allocation must be page-aligned, got need_size={need_size}, "
    "page_size={page_size}",
    pool="host_logical",
    reach="developer",
    figures=(
        Figure(
            "need_size", "slots asked for; `need_size % page_size` is what is too many", "slots"
        ),
        Figure("page_size", "slots per page of this pool", "slots"),
    ),
    meaning="The pool hands out host indices in whole pages, and has no memory behind them: other "
    "pools use its indices as anchors. A request for part of a page would leave a page with two "
    "owners, so it is refused at once, before the pool looks whether it has room. The caller is "
    "wrong, not the load: more traffic or a larger pool changes nothing.",
    trigger="`need_size % page_size` is not 0 in a call of alloc.",
    source=(
        Source(
            path=_PATH,
            function="LogicalHostPool.alloc",
            line=151,
            also="line 112 at commit 0132848349",
            description="Tests alignment, then capacity (None when short), merges released pieces "
            "only when the head of the list is too short, and takes from the front.",
        ),
        Source(
            path=_PATH,
            function="LogicalHostPool.free",
            line=168,
            description="Tests only that the number of indices is a multiple of the page. Whole "
            "pages freed twice, or of another pool, pass.",
        ),
        Source(
            path=_PATH,
            function="DeepSeekV4PagedHostPool._has_transfer_indices",
            line=445,
            description="Refuses a copy whose host and device counts differ.",
        ),
        Source(
            path="python/sglang/srt/mem_cache/hybrid_cache/hybrid_pool_assembler.py",
            function="build_deepseek_v4_hicache_stack",
            line=1014,
            description="The one place that builds the pool, with pages x page size slots.",
        ),
    ),
    flags=(
        known("--page-size", "none"),
        known(
            "--enable-hierarchical-cache",
            "none",
            "The pool exists only with it, as the host anchor of DeepSeek V4.",
        ),
    ),
    situations=(
        "A change or plug-in that backs up a raw sequence length instead of a tree value, which is "
        "cut to whole pages.",
        "Code written for page size 1 run with pages.",
        "No public report of it is known; it is documented from the source.",
    ),
    remedies=_REMEDIES,
    claims=_CLAIMS,
    example_before="host = host_pool.alloc(len(token_ids))            # 37 at page 16",
    example_after="keep = len(token_ids) // page_size * page_size     # 32\n"
    "device = device_indices[:keep]\n"
    "host = host_pool.alloc(keep)\n"
    "if host is None:                                   # full: it does not raise\n"
    "    return skip_backup()",
    here="Poolscope's pool also refuses negative sizes, pages freed twice and indices of another "
    "pool, which upstream's accepts.",
    fault="unaligned-host-alloc",
    proven=True,
    related=(
        "host-transfer-size-mismatch",
        "logical-host-free-unaligned",
        "logical-host-size-unaligned",
        "lora-rank-incompatible",
        "kv-token-alloc-oom",
        "host-unsupported-layout",
        "dflash-req-to-token-empty",
    ),
)
