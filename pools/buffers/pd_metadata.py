"""What a prefill server hands to decode beside the KV: the first token, its logprobs, the counts.

Mirrors: sglang 0.5.23 disaggregation/utils.py (MetadataBuffers); rows are padded to 64 bytes, the
    least that a remote write moves, and the width for top logprobs is 128, set by no flag
Diverges: a row is checked before any of it is written; upstream has written the token by the time
    it finds too many logprobs
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from pools.buffer_errors import PdTopLogprobsExceedsMetadata
from pools.errors import ForeignIndex, InvalidSize

MAX_TOP_LOGPROBS_NUM = 128
#: numbers of 4 bytes that make 64
_PADDED = 16


@dataclass(frozen=True, slots=True)
class FirstToken:
    """One row.

    Attributes:
        output_id: token id.
        cached_tokens: prompt tokens that were found in the cache.
        logprob: of the token.
        top_logprobs: (token id, logprob) of the likeliest, the best first.
        bootstrap_room: names the transfer; 0 means that the row is empty.
    """

    output_id: int
    cached_tokens: int
    logprob: float
    top_logprobs: Sequence[tuple[int, float]]
    bootstrap_room: int


class PdMetadata:
    """Rows 0 .. size - 1 on the CPU."""

    def __init__(self, size: int, *, max_top_logprobs_num: int = MAX_TOP_LOGPROBS_NUM) -> None:
        """Every row empty.

        Raises:
            InvalidSize: no rows, or no width.
        """
        if min(size, max_top_logprobs_num) < 1:
            raise InvalidSize(
                f"disaggregation metadata: {size} rows of {max_top_logprobs_num} top logprobs",
                size=size,
                max_top_logprobs_num=max_top_logprobs_num,
            )
        self.size, self.max_top_logprobs_num = size, max_top_logprobs_num
        self.output_ids = torch.zeros((size, _PADDED), dtype=torch.int32)
        self.cached_tokens = torch.zeros((size, _PADDED), dtype=torch.int32)
        self.logprobs = torch.zeros((size, _PADDED), dtype=torch.float32)
        self.top_values = torch.zeros((size, max_top_logprobs_num), dtype=torch.float32)
        self.top_ids = torch.zeros((size, max_top_logprobs_num), dtype=torch.int32)
        self.bootstrap_room = torch.zeros((size, 8), dtype=torch.int64)

    @property
    def nbytes(self) -> int:
        """Bytes of all buffers."""
        return sum(value.nbytes for value in vars(self).values() if torch.is_tensor(value))

    def set_row(self, index: int, first: FirstToken) -> None:
        """Write one row, the room last: whoever reads it sees the rest.

        Raises:
            ForeignIndex: there is no such row.
            PdTopLogprobsExceedsMetadata: more top logprobs than a row is wide; nothing is written.
            InvalidSize: room 0, which means an empty row.
        """
        self._check_row(index)
        count = len(first.top_logprobs)
        if count > self.max_top_logprobs_num:
            raise PdTopLogprobsExceedsMetadata(count, self.max_top_logprobs_num)
        if first.bootstrap_room == 0:
            raise InvalidSize("bootstrap_room 0 means that a row is empty", bootstrap_room=0)
        self.output_ids[index, 0] = first.output_id
        self.cached_tokens[index, 0] = first.cached_tokens
        self.logprobs[index, 0] = first.logprob
        ids, values = zip(*first.top_logprobs, strict=True) if count else ((), ())
        self.top_ids[index, :count] = torch.tensor(ids, dtype=torch.int32)
        self.top_values[index, :count] = torch.tensor(values, dtype=torch.float32)
        self.top_ids[index, count:] = -1
        self.bootstrap_room[index, 0] = first.bootstrap_room

    def get_row(self, index: int) -> FirstToken | None:
        """What was written; None while the row is empty.

        Raises:
            ForeignIndex: there is no such row.
        """
        self._check_row(index)
        room = int(self.bootstrap_room[index, 0])
        if room == 0:
            return None
        ids = self.top_ids[index]
        count = int((ids >= 0).sum())
        tops = zip(ids[:count].tolist(), self.top_values[index, :count].tolist(), strict=True)
        return FirstToken(
            output_id=int(self.output_ids[index, 0]),
            cached_tokens=int(self.cached_tokens[index, 0]),
            logprob=float(self.logprobs[index, 0]),
            top_logprobs=tuple(tops),
            bootstrap_room=room,
        )

    def clear_row(self, index: int) -> None:
        """The row is empty again.

        Raises:
            ForeignIndex: there is no such row.
        """
        self._check_row(index)
        self.bootstrap_room[index] = 0

    def _check_row(self, index: int) -> None:
        if not 0 <= index < self.size:
            text = f"metadata row {index} is not in 0..{self.size - 1}"
            raise ForeignIndex(text, index=index, size=self.size)
