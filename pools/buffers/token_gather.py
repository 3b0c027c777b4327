"""Token ids of many requests at once, read from the request table by row and position.

    rows [3, 7]   positions [[0, 1, 2],      mask [[x, x, x],     ──► ids, request after request
                             [5, 6, -]]            [x, x, -]]

Mirrors: sglang 0.5.23 speculative/dflash_worker_v2.py (_gather_req_to_token_masked and
    _gather_req_to_token_segments)
Diverges: a row or a position outside the table is refused; upstream reads what is there, or fails
    on the device
"""

import torch

from pools.buffer_errors import DflashGatherShape, DflashReqToTokenEmpty
from pools.errors import ForeignIndex

CONTEXT = "DFLASH req_to_token segment gather"


def gather_masked(
    req_to_token: torch.Tensor,
    rows: torch.Tensor,
    positions: torch.Tensor,
    mask: torch.Tensor,
    context: str = CONTEXT,
) -> torch.Tensor:
    """The token ids that the mask selects, int64, request after request.

    Args:
        req_to_token: int32 [rows, columns].
        rows: int (bs,).
        positions: int [bs, n]; read only where the mask is set.
        mask: bool [bs, n].
        context: who asks, for the message.

    Raises:
        DflashGatherShape: positions of another shape than [bs, n], or a mask of another shape.
        DflashReqToTokenEmpty: the table has no columns and the mask selects something.
        ForeignIndex: a row or a selected position outside the table.
    """
    if positions.ndim != 2:
        raise DflashGatherShape(context, tuple(positions.shape), None)
    if mask.shape != positions.shape:
        raise DflashGatherShape(context, tuple(positions.shape), tuple(mask.shape))
    mask = mask.to(torch.bool)
    if req_to_token.shape[1] == 0:
        if bool(mask.any()):
            raise DflashReqToTokenEmpty(context)
        return torch.empty(0, dtype=torch.int64, device=req_to_token.device)
    rows = rows.to(torch.int64)
    inside = positions.masked_fill(~mask, 0).to(torch.int64)
    _check_within(rows, req_to_token.shape[0], "row")
    _check_within(inside, req_to_token.shape[1], "position")
    return req_to_token[rows[:, None], inside][mask].to(torch.int64)


def gather_segments(
    req_to_token: torch.Tensor,
    rows: torch.Tensor,
    lengths: torch.Tensor,
    start: torch.Tensor | None = None,
    context: str = CONTEXT,
) -> torch.Tensor:
    """The first `lengths` token ids of each row from `start` on, int64, row after row.

    Args:
        req_to_token: int32 [rows, columns].
        rows, lengths: int (bs,).
        start: int (bs,), or None for 0.
        context: who asks, for the message.

    Raises:
        DflashReqToTokenEmpty, ForeignIndex: as `gather_masked`.
    """
    longest = int(lengths.max()) if lengths.numel() else 0
    if longest <= 0:
        return torch.empty(0, dtype=torch.int64, device=req_to_token.device)
    offsets = torch.arange(longest, device=req_to_token.device)[None]
    begin = torch.zeros_like(lengths) if start is None else start
    positions = begin.to(torch.int64)[:, None] + offsets
    return gather_masked(req_to_token, rows, positions, offsets < lengths[:, None], context)


def _check_within(index: torch.Tensor, size: int, name: str) -> None:
    outside = (index < 0) | (index >= size)
    if bool(outside.any()):
        value = int(index[outside][0])
        raise ForeignIndex(f"{name} {value} is not in 0..{size - 1} of req_to_token", index=value)
