"""The KV canary: a mark beside every KV slot that says which token was written there, and where.

    write   (slot, token, position)  ──► batch buffers ──► marks[slot] = (token, position, chain)
    check   what a request believes of its slots, against the marks

Mirrors: sglang 0.5.23 kv_canary/capacities.py (CanaryLaunchCapacities.from_args) and
    kv_canary/single_forward_manager/manager.py (pre_ops_outside_graph)
Diverges: the chain is CRC-32 instead of the kernel's hash; marks go out at once
"""

import zlib
from dataclasses import dataclass

import torch

from pools.buffer_errors import KvCanaryBatchExceedsCapacity, KvCanaryTokensExceedCapacity
from pools.errors import ForeignIndex, InvalidSize


@dataclass(frozen=True, slots=True)
class CanaryCapacities:
    """What the batch buffers hold; settled at start.

    Attributes:
        write_req: requests of one forward pass.
        write_entry: tokens of one forward pass.
    """

    write_req: int
    write_entry: int

    @classmethod
    def from_args(
        cls,
        *,
        rows: int,
        max_prefill_tokens: int,
        chunked_prefill_size: int | None = None,
        cuda_graph_max_bs: int = 0,
        num_draft_tokens: int = 0,
    ) -> "CanaryCapacities":
        """From a server's flags.

        Args:
            rows: of the request table.
            max_prefill_tokens, chunked_prefill_size: the lower one binds; None or below 0: no
                chunks.
            cuda_graph_max_bs: counts once it is above `rows`.
            num_draft_tokens: tokens per request of a speculative decode step.

        Raises:
            InvalidSize: a number that no server could have.
        """
        if min(rows, max_prefill_tokens) < 1 or min(cuda_graph_max_bs, num_draft_tokens) < 0:
            raise InvalidSize(
                f"kv-canary: rows {rows} and max_prefill_tokens {max_prefill_tokens} must be "
                f"positive, cuda_graph_max_bs {cuda_graph_max_bs} and num_draft_tokens "
                f"{num_draft_tokens} not negative",
                rows=rows,
                max_prefill_tokens=max_prefill_tokens,
            )
        max_bs = max(cuda_graph_max_bs, rows)
        extend = max_prefill_tokens
        if chunked_prefill_size is not None and chunked_prefill_size >= 0:
            extend = min(extend, chunked_prefill_size)
        return cls(max_bs, max(max_bs * max(num_draft_tokens, 1), extend))


class KvCanary:
    """Marks [slots, 3] int64 on `device`, and batch buffers of fixed size."""

    def __init__(self, slots: int, capacities: CanaryCapacities, *, device: str = "cpu") -> None:
        """No marks yet.

        Raises:
            InvalidSize: no slots, or buffers of nothing.
        """
        if min(slots, capacities.write_req, capacities.write_entry) < 1:
            text = f"kv-canary: {slots} slots with {capacities}: all must be positive"
            raise InvalidSize(text, slots=slots)
        self.capacities, self.slots = capacities, slots
        self.marks = torch.full((slots, 3), -1, dtype=torch.int64, device=device)
        self._rows = torch.zeros(capacities.write_req, dtype=torch.int64, device=device)
        self._entries = torch.zeros((capacities.write_entry, 3), dtype=torch.int64, device=device)

    @property
    def nbytes(self) -> int:
        """Bytes of marks and batch buffers."""
        return self.marks.nbytes + self._rows.nbytes + self._entries.nbytes

    def write(
        self,
        rows: torch.Tensor,
        slots: torch.Tensor,
        tokens: torch.Tensor,
        positions: torch.Tensor,
    ) -> None:
        """Mark what one forward pass writes.

        Args:
            rows: int64 (bs,), rows of the batch.
            slots, tokens, positions: int64 (n,), one entry per token of the batch.

        Raises:
            KvCanaryBatchExceedsCapacity, KvCanaryTokensExceedCapacity: beyond the buffers.
            InvalidSize: entries of different lengths.
            ForeignIndex: a slot beyond the marks. In all cases nothing is marked.
        """
        bs, count = len(rows), len(positions)
        if bs > self.capacities.write_req:
            raise KvCanaryBatchExceedsCapacity(bs, self.capacities.write_req)
        if count > self.capacities.write_entry:
            raise KvCanaryTokensExceedCapacity(count, self.capacities.write_entry)
        self._check(slots, tokens, positions)
        self._rows[:bs] = rows
        staged = self._entries[:count]
        staged[:, 0], staged[:, 1] = tokens, positions
        staged[:, 2] = _chain(tokens, positions).to(staged.device)
        self.marks[slots] = staged

    def differing(
        self, slots: torch.Tensor, tokens: torch.Tensor, positions: torch.Tensor
    ) -> torch.Tensor:
        """Slots whose marks are not those of these tokens, int64; all arguments int64 (n,).

        Raises:
            InvalidSize, ForeignIndex: as `write`.
        """
        self._check(slots, tokens, positions)
        wanted = torch.stack((tokens, positions, _chain(tokens, positions)), dim=1)
        return slots[(self.marks[slots] != wanted.to(self.marks.device)).any(dim=1).cpu()]

    def _check(self, slots: torch.Tensor, tokens: torch.Tensor, positions: torch.Tensor) -> None:
        if not len(slots) == len(tokens) == len(positions):
            text = f"{len(slots)} slots, {len(tokens)} tokens and {len(positions)} positions"
            raise InvalidSize(f"kv-canary: {text}: one of each per token", num_slots=len(slots))
        outside = (slots < 0) | (slots >= self.slots)
        if outside.any():
            slot = int(slots[outside][0])
            raise ForeignIndex(f"kv-canary: slot {slot} is not in 0..{self.slots - 1}", slot=slot)


def _chain(tokens: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    pairs = torch.stack((tokens, positions), dim=1).cpu().numpy()
    return torch.tensor([zlib.crc32(pair.tobytes()) for pair in pairs], dtype=torch.int64)
