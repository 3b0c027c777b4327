"""Small pools beside the KV pool."""

from app.diagnose.verdict import Advice, Answer, Case, Open, Rule, count

MAMBA = ("mamba-slots-exhausted", "mamba-ping-pong-exhausted", "mamba-cache-cannot-alloc")


def _answer(case: Case) -> Answer | None:
    if case.name in MAMBA:
        return _states(case)
    if case.name == "lora-rank-incompatible":
        return _adapter(case)
    if case.name == "mm-pool-too-small-control":
        return _control(case)
    return Answer(
        text="A batch held more adapters than there are slots. Raise `--max-loras-per-batch` by "
        "one or two: a staged chunk and the base model take slots that admission does not count.",
        cause_class="side_pool_short",
        confidence="likely",
        flag="--max-loras-per-batch",
        direction="raise",
        how="the assertion compares the batch's adapters with the slots",
    )


def _states(case: Case) -> Answer:
    reading = case.log.before(case.event) if case.event else None
    usage = reading.mamba_usage_frac if reading else None
    said = f" Its last usage was {usage:.2f}." if usage is not None else ""
    slots = case.number("slots") or case.log.startup.figures.get("mamba_slots")
    of = f" of {count(slots)} slots" if slots else ""
    low = usage is not None and usage < 0.5
    return Answer(
        text=f"The state pool{of} of the hybrid model had no slot left; token memory is not short."
        f"{said} Each request takes several slots. "
        + (
            "With usage this low the room is there and cannot be had: locked states, or one "
            "buffer shared with tokens (`--enable-unified-memory`)."
            if low
            else "Raise `--max-mamba-cache-size`, or lower `--max-running-requests`."
        ),
        cause_class="side_pool_short",
        confidence="likely",
        flag=None if low else "--max-mamba-cache-size",
        direction="none" if low else "raise",
        how="the message names the state pool"
        + (f"; mamba usage {usage:.2f} on the batch line before" if usage is not None else ""),
        open=(
            Open(
                what="how many slots one request takes here",
                settles="`max_mamba_cache_size:` at start and `mamba num` beside `#running-req` on "
                "a batch line",
            ),
        ),
    )


def _adapter(case: Case) -> Answer:
    rank, limit = case.number("rank"), case.log.startup.number("--max-lora-rank")
    if rank is not None and limit is not None and rank <= limit:
        return Answer(
            text=f"The adapter's rank {count(rank)} is within `--max-lora-rank` {count(limit)}, so "
            "its modules are what does not fit: name them in `--lora-target-modules`.",
            cause_class="side_pool_short",
            confidence="likely",
            flag="--lora-target-modules",
            how=f"rank {count(rank)} <= limit {count(limit)}; the message names the rank always",
        )
    return Answer(
        text=f"The adapter of rank {count(rank or 0)} does not fit the buffers made at start. "
        "Raise `--max-lora-rank` to it, or, if it is within the limit, name its modules in "
        "`--lora-target-modules`.",
        cause_class="side_pool_short",
        confidence="likely",
        flag="--max-lora-rank",
        direction="raise",
        number=rank,
        how="the message is printed for rank and modules alike; the number is the adapter's rank",
        open=(
            Open(
                what="whether rank or modules do not fit",
                settles="`max_lora_rank` and `lora_target_modules` in the `server_args=` line",
            ),
        ),
    )


def _control(case: Case) -> Answer | None:
    pool, control = case.number("memory_size"), case.number("data_start")
    if pool is None or control is None:
        return None
    workers = case.log.startup.number("--tokenizer-worker-num")
    number = None if workers is None else float(-(-int(control * workers * 2) // 2**20))
    return Answer(
        text=f"The feature pool of a worker has {count(pool)} bytes and its control words take "
        f"{count(control)}. Raise `SGLANG_MM_FEATURE_CACHE_MB`, which the tokenizer workers share, "
        "or use fewer workers.",
        cause_class="side_pool_short",
        confidence="certain",
        flag="SGLANG_MM_FEATURE_CACHE_MB",
        direction="raise",
        number=number,
        how=f"control {count(control)} >= pool {count(pool)}; the setting / workers must exceed it",
        advice=(
            Advice(
                text="Fewer tokenizer workers.", flag="--tokenizer-worker-num", direction="lower"
            ),
        ),
    )


RULE = Rule(
    name="side-pool",
    states="An error that names a pool beside the KV pool is about that pool, whatever token usage "
    "says.",
    order=63,
    about=(*MAMBA, "lora-rank-incompatible", "mm-pool-too-small-control", "lora-batch-assert"),
    answer=_answer,
)
