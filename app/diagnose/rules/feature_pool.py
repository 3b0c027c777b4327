"""The multimodal feature pool."""

from app.diagnose.verdict import Advice, Answer, Case, Open, Rule, count


def _answer(case: Case) -> Answer | None:
    if case.name == "mm-slot-generation-exhausted":
        return Answer(
            text="One slot of the feature pool has been reused 2,147,483,647 times, the end of its "
            "31-bit counter. One request failed; restart the process that owns the pool.",
            cause_class="worn_generation",
            confidence="certain",
            how="the message is raised at that count and nowhere else",
        )
    need, pool = case.number("need_mib"), case.number("pool_mib")
    return None if need is None or pool is None else _full(case, need, pool)


def _full(case: Case, need: float, pool: float) -> Answer:
    failed = case.log.find("ipc-handle-failed")
    after = " The slow path then failed as well: on ROCm turn the transport off." if failed else ""
    larger = need >= pool
    return Answer(
        text=f"No free range of {count(need)} MiB in a feature pool of {count(pool)} MiB"
        + (": the tensor is larger than the pool." if larger else ".")
        + " The request took the slow path over host memory. Raise `SGLANG_MM_FEATURE_CACHE_MB`."
        + after,
        cause_class="shortage",
        confidence="certain" if larger else "likely",
        flag="SGLANG_MM_FEATURE_CACHE_MB",
        direction="raise",
        how=f"need {count(need)} MiB in one piece, pool {count(pool)} MiB; free bytes are not "
        "printed",
        advice=(
            Advice(
                text="Raise `SGLANG_MM_FEATURE_CACHE_MB`; it is shared by the tokenizer workers.",
                flag="SGLANG_MM_FEATURE_CACHE_MB",
                direction="raise",
            ),
        ),
        open=(
            Open(
                what="whether the pool was full or in pieces, or a rank does not acknowledge",
                settles="nothing in this log: the line is printed once per process, without what "
                "was free",
            ),
        ),
        lines=tuple(failed.lines[:1]) if failed else (),
    )


RULE = Rule(
    name="feature-pool",
    states="The feature pool needs one range for a tensor; a slot's counter ends at 2^31 - 1.",
    order=64,
    about=("mm-ipc-pool-full", "mm-slot-generation-exhausted"),
    answer=_answer,
)
