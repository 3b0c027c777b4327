"""A feature-pool slot has been leased as often as its 31-bit generation can count."""

from app.catalog.entry import Claim, ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

_REMEDIES = (
    Remedy(
        key="restart",
        text="Restart the tokenizer process that owns the pool. Generations start again at 0.",
        status="proved",
        proof="With every slot at the limit a lease raises; a new pool gives the same lease, at "
        "generation 1 (`test_a_new_pool_starts_at_generation_zero`).",
        cost="multimodal requests in flight on that worker fail",
    ),
    Remedy(
        key="longer-recycle-interval",
        text="Keep the recycle interval at its default, or raise it: a slot is reused at most once "
        "per pass, so twice the interval is half the wear.",
        status="proved",
        direction="raise",
        flag="SGLANG_MM_ITEM_MEM_POOL_RECYCLE_INTERVAL_SEC",
        proof="The same 100 leases a second for 2 s: the hottest slot is at generation 40 with "
        "0.05 s and at 20 with 0.1 s; a limit of 30 is reached with the first only "
        "(`test_twice_the_recycle_interval_is_half_the_wear`).",
        cost="acknowledged memory returns later, so the pool must be larger for the same traffic",
        not_when="a slot is worn already: its count never goes back",
    ),
    Remedy(
        text="Report it upstream. The slot is tested after it and its byte range were taken, and "
        "neither is put back: one request fails and that much of the pool is lost, per worn slot.",
        reason="a report changes nothing by itself; Poolscope's own pool tests before it takes",
    ),
    Remedy(
        key="copy-half-as-much",
        text="Copy less, or in larger batches, to slow the wear.",
        status="refuted",
        direction="lower",
        proof="The pass is the clock, not the traffic: a lease can return only on a pass, so the "
        "hottest slot gains one generation per pass whether a pass serves one copy or many. It "
        "helps only below one copy per pass. Over 2 s, 1,000, 100 and 20 copies a second all reach "
        "generation 40; 5 a second reach 10 (`test_copying_less_does_not_slow_the_hottest_slot`).",
    ),
    Remedy(
        text="Widen the counter to 64 bit.",
        status="refuted",
        proof="Not a local change: ready and acknowledgement words are 32 bit, the device waits "
        "with a 32-bit signed greater-or-equal, and the recycler compares int32. Word size, "
        "control layout and both driver calls would change.",
    ),
    Remedy(
        text="Catch the error around `lease = pool.copy_tensor(t)`.",
        status="refuted",
        proof="The call returns a pair, and a full pool returns `(None, None)` without raising, so "
        "this form misses the common case and takes the pair for a lease "
        "(`test_a_full_pool_gives_a_pair_of_none`).",
    ),
)

_CLAIMS = (
    Claim(
        "From then on the pool refuses to allocate.",
        "One slot and its bytes are lost; the next allocation succeeds on another slot. Executed "
        "with the book-keeping of 0.5.23: of 4 slots 3 stay free, 1,024 bytes are gone, the next "
        "lease is slot 1 at generation 1.",
    ),
    Claim(
        "Weeks or months of uptime, or a tight loop, can reach it.",
        "2^31 reuses at one per 0.05 s are 3.40 years of reuse on every pass; at 0.01 s 0.68 "
        "years, at 0.001 s 25 days. A tight loop takes other slots instead.",
    ),
    Claim(
        "It can happen with any transport.",
        "Only CUDA IPC builds this pool. CUDA VMM leases chunks, without slots or generations.",
    ),
)

ENTRY = ErrorEntry(
    code="mm-slot-generation-exhausted",
    id="d317b25cfb0662df",
    title="A feature slot's generation is used up",
    verdict="One feature-pool slot has been reused 2,147,483,647 times. No bytes ran out: one "
    "request fails for each worn slot. Restart the process that owns the pool; a longer recycle "
    "interval slows the wear.",
    severity="error",
    exception="RuntimeError",
    message="{self.transport_name} pool slot generation exhausted",
    line="{transport_name:label} pool slot generation exhausted",
    pool="mm_feature",
    reach="invariant",
    figures=(Figure("transport_name", "who owns the pool; only `CUDA IPC` in this version"),),
    meaning="Each lease of the pool carries its slot's generation, so that a late acknowledgement "
    "of an earlier lease cannot release the present one (ABA). The count has 31 bits, because the "
    "device compares it as a signed 32-bit word. A slot that has reached the end of the count "
    "cannot be told from its own past and may not be leased again. Free slots are a stack: on a "
    "quiet server one slot does nearly all the work and wears first, so watch the highest "
    "generation, never the sum.",
    trigger="The slot on top of the stack has been leased 2^31 - 1 times and would be leased "
    "again.",
    source=(
        Source(
            path="python/sglang/srt/multimodal/transport/memory_pool.py",
            function="StreamOrderedMmFeaturePool._allocate_locked",
            line=264,
            also="line 257 at commit 0132848349",
            description="Cuts the smallest free range that fits, pops a slot, adds one to its "
            "generation, and raises past the limit. Range and slot are gone by then.",
        ),
        Source(
            path="python/sglang/srt/multimodal/transport/memory_pool.py",
            function="StreamOrderedMmFeaturePool.copy_tensor",
            line=338,
            description="Allocates before its try block, so a raise returns nothing to the pool; "
            "a full pool gives `(None, None)`.",
        ),
        Source(
            path="python/sglang/srt/multimodal/transport/memory_pool.py",
            function="StreamOrderedMmFeaturePool._recycle_loop",
            line=324,
            description="Once per interval releases the leases that every consumer has "
            "acknowledged. The only regular way back to the pool.",
        ),
    ),
    flags=(
        known("SGLANG_MM_ITEM_MEM_POOL_RECYCLE_INTERVAL_SEC", "raise"),
        known("--mm-feature-transport", "none"),
    ),
    situations=(
        "A recycle interval set to about a millisecond, on a server that runs for a month.",
        "A test that sets the counters near the limit.",
        "No public report of it is known; it is documented from the source.",
    ),
    remedies=_REMEDIES,
    claims=_CLAIMS,
    example_before="export SGLANG_MM_ITEM_MEM_POOL_RECYCLE_INTERVAL_SEC=0.001\n"
    "# one slot can reach the limit in 25 days\n"
    "\n"
    "lease = pool.copy_tensor(features)",
    example_after="unset SGLANG_MM_ITEM_MEM_POOL_RECYCLE_INTERVAL_SEC   # 0.05 s: 3.4 years\n"
    "\n"
    "try:\n"
    "    lease, view = pool.copy_tensor(features)\n"
    "except RuntimeError:      # a worn slot: this request only\n"
    "    lease = view = None\n"
    "if lease is None:         # also a full pool, which does not raise\n"
    "    features = features.cpu()",
    here="Poolscope's pool validates before it takes: nothing is lost. A slot at the limit is "
    "retired when it is released, and the error comes only when no free slot is below the limit.",
    fault="generation-near-limit",
    proven=True,
    related=(
        "mm-ipc-pool-full",
        "mm-byte-tensor-invalid",
        "mm-lease-release-inactive",
        "mm-recycle-interval-not-positive",
        "mm-pool-too-small-control",
        "vmm-needs-mm-processor",
    ),
)
