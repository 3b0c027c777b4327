"""Token ids of a request, as the prefix tree compares them."""

import numpy as np
from numpy.typing import NDArray

from app.traces.request import TraceRequest

#: ids of tokens that nobody shares lie below zero, 2^32 for each request
PRIVATE_SPAN = 1 << 32


def token_ids(request: TraceRequest, count: int) -> NDArray[np.int64]:
    """The first `count` tokens of prompt and output, int64, shape (count,).

    Equal hash ids give equal tokens; what no hash covers, the output among it, is the request's
    own.
    """
    private = -(request.rid + 1) * PRIVATE_SPAN - np.arange(count, dtype=np.int64)
    block = request.block_tokens
    if not request.hash_ids or not block:
        return private
    covered = min(len(request.hash_ids) * block, request.input_tokens, count)
    hashes = np.asarray(request.hash_ids[: -(-covered // block)], np.int64)
    shared = (hashes[:, None] * block + np.arange(block)).ravel()
    private[:covered] = shared[:covered]
    return private
