"""The scheduler admitted a batch for which req_to_token has too few free rows."""

from app.catalog.entry import Claim, ErrorEntry, Figure, Remedy, Source
from app.catalog.flags import known

_FLAGS = (
    known("--max-running-requests", "raise"),
    known(
        "--context-length",
        "none",
        "Only the width of a row: 4 bytes x (rows + 1) per token of context. Not one row more.",
    ),
    known(
        "--mem-fraction-static",
        "raise",
        "Only where the token capacity caps the rows at capacity // 2, which the start-up log "
        "says.",
    ),
    known("--disaggregation-decode-extra-slots", "raise"),
    known("--max-mamba-cache-size", "raise"),
    known("--pp-max-micro-batch-size", "lower"),
)

_REMEDIES = (
    Remedy(
        key="upgrade",
        text="Upgrade past the two accounting faults that caused most reports: a chunked request "
        "gave its row back between chunks, and under pipeline parallelism each micro batch "
        "budgeted rows as though it owned the pool.",
        status="proved",
        seen="merged: sgl-project/sglang#17850 (chunks), sgl-project/sglang#23006 (pipeline)",
        not_when="the build is newer than both",
    ),
    Remedy(
        key="end-the-holder",
        text="Find who holds the rows and end the holder: open sessions, beam members, PD "
        "transfers in flight. Rows in use minus running requests is their number. If nobody holds "
        "them they are leaked: see `req-pool-leak-idle`; only a fix or a restart brings them back.",
        status="proved",
    ),
    Remedy(
        key="raise-max-running-requests",
        text="Raise `--max-running-requests` by the rows held outside the running batch. Rows "
        "follow the flag while token capacity // 2 is larger.",
        status="proved",
        direction="raise",
        flag="--max-running-requests",
        cost="4 bytes x (context length + 4) per row, outside the KV budget",
        not_when="rows leak: it only lasts longer. With a row lost per batch of 12, 48 rows serve "
        "37 batches and 104 rows 93",
    ),
    Remedy(
        text="On a PD decode server raise `--disaggregation-decode-extra-slots`: requests hold a "
        "row while their KV is still on the way.",
        direction="raise",
        flag="--disaggregation-decode-extra-slots",
        reason="no PD transfer is modelled here, so nothing would hold the rows",
    ),
    Remedy(
        key="send-less",
        text="Send less at once: a limit at the gateway, `--max-queued-requests`, fewer clients.",
        status="avoids",
        direction="lower",
        flag="--max-queued-requests",
        cost="requests are turned away or wait",
        not_when="rows leak: any load reaches the end, only later",
    ),
    Remedy(
        key="lower-max-running-requests",
        text="Lower `--max-running-requests`, as the message says.",
        status="refuted",
        direction="lower",
        flag="--max-running-requests",
        proof="The flag sizes the pool and the admission limit together, so the pool shrinks with "
        "the gate and one lost row is missing at every setting. In sgl-project/sglang#10408 it "
        "still crashed at 1; here it fails under each cause, with leaked rows down to 1.",
    ),
    Remedy(
        key="set-to-printed-number",
        text="Set `--max-running-requests` at or below the printed `available_size()`.",
        status="refuted",
        direction="lower",
        flag="--max-running-requests",
        proof="That number is what was left at the moment of the crash, not a capacity: 1 in "
        "sgl-project/sglang#10408, with 2 requested. A pool of that size does not even hold the "
        "sessions.",
    ),
    Remedy(
        key="raise-context-length",
        text="Increase `--context-length` so that the pool is allocated larger.",
        status="refuted",
        direction="raise",
        flag="--context-length",
        proof="With a request limit of 256 the rows are 256 at context 4,096, 8,192, 32,768 and "
        "131,072. Without one, 400,000 tokens of capacity give 4,096 rows at context 4,096 and "
        "2,048 at 131,072: longer is fewer. It widens rows, and the bytes come out of the room "
        "for activations.",
    ),
    Remedy(
        key="fewer-requests-longer-context",
        text="Go from 1,024 requests at context 4,096 to 256 requests at context 8,192.",
        status="refuted",
        direction="lower",
        flag="--max-running-requests",
        proof="The pool shrinks from 1,024 rows to 256. Tried at a smaller scale: from 48 at "
        "2,048 to 12 at 4,096.",
    ),
)

_CLAIMS = (
    Claim(
        "The flag is set higher than the pool was sized for.",
        "It cannot be: the same resolved number sizes the pool and the gate.",
    ),
    Claim(
        "A small `--context-length` or `--max-prefill-items` makes the pool smaller.",
        "Context length is a divisor where no limit is given; the second flag does not exist.",
    ),
    Claim(
        "Hybrid (mamba) models use up additional request slots.",
        "State slots are a second pool. They lower the number of rows once, at start; running out "
        "of them prints `Not enough space for mamba cache`, not this line.",
    ),
    Claim(
        "Long contexts are split over several rows.",
        "A request has one row, whatever its length.",
    ),
    Claim(
        "Read `server.req_to_token_pool.available_size()` before submitting.",
        "No interface exports free rows. `/server_info` has "
        "`effective_max_running_requests_per_dp`; the metrics count tokens only.",
    ),
)

ENTRY = ErrorEntry(
    code="alloc-req-slots-exhausted",
    id="5005b2b87598a62d",
    title="Request slots ran out",
    verdict="More requests were admitted than `req_to_token` has free rows. Memory is not short: "
    "find who holds the rows; if every holder is rightful, raise `--max-running-requests`. "
    "Lowering it does not help.",
    severity="critical",
    exception="RuntimeError",
    message="alloc_req_slots runs out of memory. Please set a smaller number for "
    "`--max-running-requests`. {req_to_token_pool.available_size()=}, {num_reqs=}, ",
    line="alloc_req_slots runs out of memory. Please set a smaller number for "
    "`--max-running-requests`. req_to_token_pool.available_size()={available_size}, "
    "num_reqs={num_reqs}, ",
    also=(
        "alloc_req_slots runs out of memory. Please set a smaller number for "
        "`--max-running-requests`. self.req_to_token_pool.available_size()={available_size}, "
        "num_reqs={num_reqs}",
        "alloc_req_slots runs out of memory. Please set a smaller number for "
        "`--max-running-requests`",
    ),
    pool="request_slots",
    reach="operator",
    figures=(
        Figure("available_size", "rows that were free at that moment; not the pool's size", "rows"),
        Figure("num_reqs", "requests in the batch that need a new row", "rows"),
    ),
    meaning="Each request that runs holds one row of `req_to_token`, the table from its positions "
    "to KV slots. The number of rows is settled once, at start, and the scheduler admits by the "
    "same free list from which rows are taken. Ordinary overload therefore queues and never gets "
    "here: this line says that the gate and the pool disagree, because rows are held where the "
    "gate does not look, were promised twice, or were never given back. The scheduler stops, and "
    "the server's processes with it.",
    trigger="A batch needs `num_reqs` new rows while fewer are free. Requests that keep their row "
    "(the next chunk of a prompt, a borrowed session) are not counted.",
    source=(
        Source(
            path="python/sglang/srt/mem_cache/allocation.py",
            function="alloc_req_slots",
            line=344,
            also="line 265 at commit 0132848349",
            description="Makes room for state slots first where the model has them, asks the pool "
            "for a row per request, and raises when it gets none. Its own contract calls a "
            "failure here an error of the admission budget.",
        ),
        Source(
            path="python/sglang/srt/mem_cache/memory_pool.py",
            function="ReqToTokenPool.alloc_rows",
            line=437,
            description="Takes rows from the tail of a list; with too few it changes nothing and "
            "answers None. Freed rows are not checked for a second free.",
        ),
        Source(
            path="python/sglang/srt/mem_cache/kv_cache_configurator.py",
            function="KVCacheConfigurator.resolve_max_num_reqs",
            line=3119,
            description="Settles the rows: the flag per DP worker, at most half the token "
            "capacity; without the flag between 2,048 and 4,096; then the state-slot cap.",
        ),
        Source(
            path="python/sglang/srt/managers/scheduler.py",
            function="Scheduler.get_num_allocatable_reqs",
            line=4027,
            description="The admission gate: the smaller of the pipeline budget and free rows plus "
            "rows the candidates hold, less rows promised to beams.",
        ),
    ),
    flags=_FLAGS,
    situations=(
        "Token usage is near zero and the server still dies: seen at 0.01, with one row free and "
        "two wanted (sgl-project/sglang#10408).",
        "Speculative decoding sets the limit to 48 when none is given: a small pool nobody chose.",
        "Sessions that are opened and never closed, beam search, or PD transfers hold rows beside "
        "the running batch.",
        "Rows leak: while idle the log then says `req_to_token_pool memory leak detected!`.",
        "Pipeline or chunked prefill in builds before the two changes named above.",
    ),
    remedies=_REMEDIES,
    claims=_CLAIMS,
    example_before="# The limit is absent, so speculative decoding makes it 48 rows.\n"
    "# 40 open sessions hold a row each: a batch of 12 finds 8.\n"
    "python -m sglang.launch_server --model-path MODEL --speculative-algorithm EAGLE",
    example_after="# 40 held by sessions + 64 that may run, far below token capacity // 2\n"
    "python -m sglang.launch_server --model-path MODEL --speculative-algorithm EAGLE \\\n"
    "    --max-running-requests 104",
    here="Poolscope's scheduler queues at zero free rows, as SGLang's does. The fault "
    "`over-admission` skips the gate, which is what a faulty gate amounts to.",
    fault="over-admission",
    proven=True,
    related=(
        "req-pool-leak-idle",
        "max-running-requests-reduced",
        "kv-token-alloc-oom",
        "kv-canary-batch-exceeds-capacity",
        "kv-canary-tokens-exceed-capacity",
        "pd-top-logprobs-exceeds-metadata",
        "lora-pin-would-starve",
    ),
    reports=("sgl-project/sglang#10408", "sgl-project/sglang#30295"),
)
