"""Logs of other engines, of which only a few lines are known."""

from collections.abc import Callable

from app.diagnose.verdict import Answer, Case, Open, Rule, count

OPEN = (
    Open(
        what="most of what this log says",
        settles="nothing here: only a few lines of other engines are known",
    ),
)


def _vllm(case: Case) -> Answer:
    return Answer(
        text="vLLM: nothing is left for the KV cache at start. Raise `--gpu-memory-utilization`; "
        "it covers everything on the card, other processes too, so look for those first.",
        cause_class="startup_fraction_low",
        confidence="likely",
        flag="--gpu-memory-utilization",
        direction="raise",
        how="the message is raised when the number of cache blocks is not positive",
        open=OPEN,
    )


def _trt_component(case: Case) -> Answer:
    return Answer(
        text="TensorRT-LLM could not create a component for want of GPU memory; the ledger below "
        "the message says which. Lower `free_gpu_memory_fraction`.",
        cause_class="unknown",
        confidence="likely",
        flag="free_gpu_memory_fraction",
        direction="lower",
        how="the message names the component; why it did not fit is not in it",
        open=OPEN,
    )


def _trt_memory(case: Case) -> Answer:
    return Answer(
        text="TensorRT-LLM: the KV cache took the room that the engine needs to run. Lower "
        "`kv_cache_free_gpu_mem_fraction`.",
        cause_class="activation_memory",
        confidence="likely",
        flag="kv_cache_free_gpu_mem_fraction",
        direction="lower",
        how="an allocation on the GPU failed beside a KV cache that takes 0.9 of it by default",
        open=OPEN,
    )


def _lmcache(case: Case) -> Answer:
    small = case.log.find("lmcache-block-too-small")
    if small is not None:
        block, need = small.numbers.get("block", 0), small.numbers.get("need", 0)
        return Answer(
            text=f"LMCache: free space is in pieces. A free block of {block:,} bytes cannot serve "
            f"{need:,}. Use one chunk size, or a larger pool.",
            cause_class="fragmentation",
            confidence="likely",
            how=f"block {block} < need {need}",
            lines=tuple(small.lines[:1]),
            open=OPEN,
        )
    return Answer(
        text="LMCache: no block could be had for a store. The log does not tell whether its pool "
        "is full, pinned or in pieces.",
        cause_class="unknown",
        confidence="unknown",
        how="the message alone",
        open=OPEN,
    )


def _window(case: Case) -> Answer:
    need, have = case.number("need") or 0, case.number("have") or 0
    return Answer(
        text=f"The window pool of another engine is short: {count(need)} wanted, {count(have)} "
        "there. Look for units that are in its free list twice before enlarging it.",
        cause_class="side_pool_short",
        confidence="unknown",
        how=f"need {count(need)} > have {count(have)}",
        open=OPEN,
    )


_BY_SIGN: dict[str, Callable[[Case], Answer]] = {
    "vllm-no-cache-blocks": _vllm,
    "trtllm-component-failed": _trt_component,
    "trtllm-out-of-memory": _trt_memory,
    "lmcache-no-block": _lmcache,
    "window-pool-exhausted": _window,
}

RULE = Rule(
    name="other-engine",
    states="A few lines of vLLM, TensorRT-LLM and LMCache are known; nothing about them is certain "
    "here.",
    order=70,
    about=tuple(_BY_SIGN),
    answer=lambda case: _BY_SIGN[case.name](case),
)
