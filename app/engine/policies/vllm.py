"""vLLM's scheduling rules, each a function of plain numbers: allocate as you go, newest goes first.

Mirrors: vllm 0.19 v1/core/sched/scheduler.py (Scheduler.schedule)
"""

import numpy as np
from numpy.typing import NDArray

from app.sizing.plan import PoolPlan

Ints = NDArray[np.int64]


def max_new_tokens(asked: int, input_tokens: int, plan: PoolPlan) -> int:
    """Output tokens a request may have: prompt and output stay within the model's length.

    A request that the pool could not hold alone is refused (0): preempted, it would never end.
    """
    new = min(asked, plan.context_len - input_tokens)
    return new if input_tokens + new <= plan.kv_tokens else 0


def shares(missing: Ints, budget: int) -> Ints:
    """Tokens that each running request computes in this step, first come first served.

    Args:
        missing: tokens of each that have no KV yet, shape (n,).
        budget: tokens of the step (max_num_batched_tokens).
    """
    before = np.cumsum(missing) - missing
    part: Ints = np.clip(budget - before, 0, missing)
    return part


def pages_for(kv_len: Ints, take: Ints, page: int) -> Ints:
    """New pages that each request's tokens of this step need, shape (n,)."""
    pages: Ints = -(-(kv_len + take) // page) - -(-kv_len // page)
    return pages


def first_preempted(pages: Ints, held: Ints, free: int) -> int:
    """How many running requests stay: those behind give up their pages, the newest first.

    Args:
        pages: new pages that each needs, in order of admission, shape (n,).
        held: pages that each has, shape (n,).
        free: free pages.
    """
    stay, at = len(pages), 0
    while at < stay:
        if pages[at] <= free:
            free -= int(pages[at])
            at += 1
        else:
            stay -= 1
            free += int(held[stay])
    return stay


def admits(total: int, page: int, free: int) -> bool:
    """Whether a waiting request comes in: all it has must fit now, though it is taken in parts.

    Args:
        total: prompt tokens, and after a preemption the output so far.
        page: tokens per page.
        free: free pages that this step leaves.
    """
    return -(-total // page) <= free
