"""A request inside the engine."""

import numpy as np
from numpy.typing import NDArray

from app.engine.token_ids import token_ids
from app.traces.request import TraceRequest
from pools.structures.radix_node import RadixNode

NO_ROW = -1


class LiveRequest:
    """State between arrival and end.

    Attributes:
        max_new: output tokens it will have, after the server's limits.
        out: output tokens it has.
        row, generation: its row of the request table, NO_ROW while it waits.
        kv_len: tokens of it that have KV.
        prefix_len: leading tokens of those that belong to the tree.
        cached_len: leading tokens that it has inserted into the tree since it got its row.
        node: the tree node it holds locked.
    """

    __slots__ = (
        "admitted_ns", "arrival_ns", "cached_len", "generation", "kv_len", "max_new", "node", "out",
        "prefix_len", "queued_ns", "request", "retractions", "row",
    )  # fmt: skip

    def __init__(self, request: TraceRequest, max_new: int) -> None:
        self.request, self.max_new = request, max_new
        self.arrival_ns = self.queued_ns = request.arrival_ns
        self.admitted_ns = -1
        self.out = self.kv_len = self.prefix_len = self.generation = self.retractions = 0
        self.cached_len = 0
        self.row = NO_ROW
        self.node: RadixNode | None = None

    @property
    def rid(self) -> int:
        """Request id."""
        return self.request.rid

    @property
    def prefill_len(self) -> int:
        """Tokens a prefill must cover: the prompt, and after a retraction the output so far."""
        return self.request.input_tokens + self.out

    def tokens(self, count: int) -> NDArray[np.int64]:
        """Its first `count` token ids."""
        return token_ids(self.request, count)
