"""SGLang's scheduling rules, each a function of plain numbers.

Mirrors: sglang 0.5.23 managers/ (schedule_policy.py, scheduler.py, schedule_batch.py)
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.sizing.plan import PoolPlan

#: output tokens that an estimate counts at most (SGLANG_CLIP_MAX_NEW_TOKENS_ESTIMATION)
CLIP_MAX_NEW_TOKENS = 4_096

Ints = NDArray[np.int64]


def ceil_page(tokens: int, page: int) -> int:
    """Tokens rounded up to whole pages."""
    return -(-tokens // page) * page


def max_new_tokens(asked: int, input_tokens: int, plan: PoolPlan) -> int:
    """Output tokens a request may have: what it asks, what a request and the pool may hold."""
    of_request = plan.max_req_len - input_tokens - 1
    of_pool = plan.kv_tokens - ceil_page(input_tokens, plan.page_size) - plan.page_size - 1
    return min(asked, of_request, of_pool)


def allowed_new_tokens(asked: int, input_tokens: int, plan: PoolPlan) -> int:
    """Output tokens of a request that the server takes; below 1 it answers 400."""
    if input_too_long(input_tokens, plan):
        return 0
    return max_new_tokens(asked, input_tokens, plan)


def input_too_long(input_tokens: int, plan: PoolPlan) -> bool:
    """Whether the server answers 400 at the door."""
    return input_tokens >= plan.max_req_input_len


def rows_allocatable(max_running: int, running: int, free_rows: int) -> int:
    """How many requests the row gate lets in this round."""
    return max(min(max_running - running, free_rows), 0)


@dataclass(slots=True)
class PrefillBudget:
    """What one round of admission may still spend, tokens.

    `future` guards what running requests may still generate, `present` what is there now.
    """

    reclaimable: int
    reserved: float
    page: int
    input_left: int
    chunk_left: int | None
    promised: int = 0
    immediate: int = 0

    @property
    def future(self) -> float:
        """Tokens left once everybody has generated what is reserved for them."""
        return self.reclaimable - self.reserved - self.promised

    @property
    def present(self) -> int:
        """Tokens left now."""
        return self.reclaimable - self.immediate

    def admits(self, extend: int, new_tokens: int) -> bool:
        """The future test, strict: the prompt, its output (clipped) and one page must fit."""
        need = extend + min(max(new_tokens, 0), CLIP_MAX_NEW_TOKENS) + self.page
        return need < self.future

    def holds(self, extend: int) -> bool:
        """The present test: whole pages of this step must fit now."""
        return ceil_page(extend, self.page) <= min(self.present, self.future)

    def chunk_of(self, extend: int) -> int:
        """How much of a prompt this step takes: all, or whole pages up to the chunk."""
        if self.chunk_left is None or ceil_page(extend, self.page) <= self.chunk_left:
            return extend
        return self.chunk_left - self.chunk_left % self.page

    def spend(self, extend: int, new_tokens: int) -> None:
        """A request is in; `new_tokens` is 0 for a chunk that is not its last."""
        rounded = ceil_page(extend, self.page)
        self.promised += rounded + self.page + min(new_tokens, CLIP_MAX_NEW_TOKENS)
        self.immediate += rounded
        self.input_left -= rounded
        if self.chunk_left is not None:
            self.chunk_left -= rounded

    @property
    def spent(self) -> bool:
        """Whether this round is over by input or by chunk."""
        return self.input_left <= 0 or (self.chunk_left is not None and self.chunk_left <= 0)


def retract_order(out: Ints, input_len: Ints) -> list[int]:
    """Victims first: shortest output, then longest input; ties by the latest to come."""
    order = np.lexsort((-np.arange(len(out)), -input_len, out))
    victims: list[int] = order.tolist()
    return victims


def decode_need(crossing: int, page: int) -> int:
    """Tokens that the next decode step takes from the free list."""
    return crossing * page
