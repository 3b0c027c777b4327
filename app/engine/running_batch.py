"""The running requests as columns, so that a decode step costs no Python per request."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.engine.live_request import LiveRequest

COLUMNS = ("rid", "row", "generation", "kv_len", "last_loc", "out", "max_new", "input_len")


class RunningBatch:
    """Requests in order of admission; column arrays of shape (len,), int64.

    While a request is here its `out` and `kv_len` live in the columns; `leave` writes them back.
    """

    def __init__(self) -> None:
        self.requests: list[LiveRequest] = []
        self._table = np.zeros((len(COLUMNS), 64), np.int64)

    def __len__(self) -> int:
        return len(self.requests)

    def column(self, name: str) -> NDArray[np.int64]:
        """A live view of one column."""
        view: NDArray[np.int64] = self._table[COLUMNS.index(name), : len(self.requests)]
        return view

    def join(self, live: LiveRequest, last_loc: int) -> None:
        """A request whose prompt is in the cache; its last token's id is `last_loc`."""
        at = len(self.requests)
        if at == self._table.shape[1]:
            self._table = np.concatenate((self._table, np.zeros_like(self._table)), axis=1)
        self._table[:, at] = (
            live.rid, live.row, live.generation, live.kv_len, last_loc, live.out, live.max_new,
            live.request.input_tokens,
        )  # fmt: skip
        self.requests.append(live)

    def leave(self, indices: Sequence[int]) -> list[LiveRequest]:
        """Take requests out by position; returns them in that order, written back."""
        out, kv_len = self.column("out"), self.column("kv_len")
        left = []
        for index in indices:
            live = self.requests[index]
            live.out, live.kv_len = int(out[index]), int(kv_len[index])
            left.append(live)
        keep = np.ones(len(self.requests), np.bool_)
        keep[list(indices)] = False
        kept = int(keep.sum())
        self._table[:, :kept] = self._table[:, : len(self.requests)][:, keep]
        self.requests = [live for live, stay in zip(self.requests, keep, strict=True) if stay]
        return left

    def reserve(self, clip: int) -> int:
        """Output tokens still to come, each request's clipped."""
        return int(np.minimum(self.column("max_new") - self.column("out"), clip).sum())

    def crossing(self, page_size: int) -> int:
        """Requests whose next token needs a new page."""
        return int((self.column("kv_len") % page_size == 0).sum())
