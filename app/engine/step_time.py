"""How long a step takes on the modelled server: a stated linear model, not a latency forecast.

It serves only to order events. Its parameters are of the size that an 8 billion parameter model
shows on one large GPU.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

#: of one step, or of each of several
Tokens = TypeVar("Tokens", int, NDArray[np.int64])


@dataclass(frozen=True, slots=True)
class StepTime:
    """Nanoseconds per part of a step."""

    base_ns: int = 6_000_000
    prefill_token_ns: int = 16_000
    decode_request_ns: int = 30_000
    decode_context_token_ns: int = 4

    def prefill(self, tokens: int) -> int:
        """A prefill step over `tokens` prompt tokens."""
        return self.base_ns + tokens * self.prefill_token_ns

    def decode(self, requests: int, context_tokens: Tokens) -> Tokens:
        """One token for each of `requests`, that read `context_tokens` in all."""
        return (
            self.base_ns
            + requests * self.decode_request_ns
            + context_tokens * self.decode_context_token_ns
        )

    def mixed(self, prompt_tokens: int, requests: int, context_tokens: int) -> int:
        """A step that computes prompt tokens and decodes, as servers with mixed batches run."""
        return self.decode(requests, context_tokens) + prompt_tokens * self.prefill_token_ns
