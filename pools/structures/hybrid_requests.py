"""Rows and state slots of a hybrid model's requests, taken and given back together.

    rid ──► row of req_to_token       (`request_slots`)
        ──► running state             (`mamba_states`, 1 slot)
        ──► tracked states            (`mamba_states`, 0, 1 or 2 slots)

Mirrors: sglang 0.5.23 mem_cache/memory_pool.py (HybridReqToTokenPool.alloc, free_mamba_cache)
Diverges: strict checks look for every slot of the batch before a row is taken; upstream takes the
    rows first, then slot after slot, and keeps what it has when it raises

Invariants:
    H1  a request that holds a row holds one running state, unless upstream checks raised between.
    H2  a request that goes on (the next chunk of a prompt) keeps row and slots.
    H3  strict: a call that raises or returns None changes nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pools.base import Checks
from pools.errors import DoubleFree, InvalidSize, PoolError
from pools.side_errors import MambaDoubleFree, MambaPingPongExhausted, MambaSlotsExhausted

Ids = NDArray[np.int64]


class Rows(Protocol):
    """What is needed of the request slots."""

    def alloc(self, num_reqs: int, owners: Sequence[int] | None = None) -> list[int] | None:
        """Rows or None."""
        ...

    def free(self, rows: Sequence[int]) -> None:
        """Give rows back."""
        ...

    def available_size(self) -> int:
        """Free rows."""
        ...


class States(Protocol):
    """What is needed of the state slots."""

    size: int

    def alloc(self, need_size: int, owner: int) -> Ids | None:
        """Slots or None."""
        ...

    def free(self, slots: Sequence[int]) -> None:
        """Give slots back."""
        ...

    def keep(self, slots: Sequence[int]) -> None:
        """Put slots into the prefix cache."""
        ...

    def evict(self, num_slots: int) -> int:
        """Free cached slots."""
        ...

    def available_size(self) -> int:
        """Free slots."""
        ...


@dataclass(slots=True)
class Holding:
    """What one request has; `slot` is None once its state is given back."""

    row: int
    slot: int | None = None
    tracked: list[int] = field(default_factory=list)


class HybridRequests:
    """The pairing of two pools; each shows its own amounts."""

    def __init__(
        self, rows: Rows, states: States, *, tracking_slots: int = 0, checks: Checks = "strict"
    ) -> None:
        """Nobody holds anything.

        Args:
            rows: the request slots.
            states: the state slots.
            tracking_slots: per request, see `pools.structures.mamba_demand.tracking_slots`.
            checks: "strict" or "upstream".

        Raises:
            InvalidSize: a negative number of tracking slots.
        """
        if tracking_slots < 0:
            text = f"tracking_slots {tracking_slots} is negative"
            raise InvalidSize(text, tracking_slots=tracking_slots)
        self.rows, self.states, self.tracking_slots = rows, states, tracking_slots
        self.checks: Checks = checks
        self.holdings: dict[int, Holding] = {}

    def available_size(self) -> int:
        """Free rows."""
        return self.rows.available_size()

    def needed_slots(self, rids: Sequence[int]) -> int:
        """State slots that `alloc` would take for these requests: today's exact count."""
        return sum(self._lacks_state(rid) + self._lacks_tracked(rid) for rid in rids)

    def alloc(self, rids: Sequence[int]) -> list[int] | None:
        """Rows of the requests, in their order; those that hold one keep it.

        Returns:
            None when too few rows are free.

        Raises:
            MambaSlotsExhausted, MambaPingPongExhausted: too few state slots. Under upstream checks
                the rows, and the slots of requests before that one, are taken by then.
            DoubleFree: strict, a request that is named twice.
        """
        if self.checks == "strict" and len(set(rids)) != len(rids):
            rid = next(rid for at, rid in enumerate(rids) if rid in rids[:at])
            raise DoubleFree(f"request {rid} is named twice in one batch", rid=rid)
        fresh = [rid for rid in rids if rid not in self.holdings]
        if self.checks == "strict" and len(fresh) <= self.rows.available_size():
            shortage = self._shortage(rids)
            if shortage is not None:
                raise shortage
        rows = self.rows.alloc(len(fresh), fresh)
        if rows is None:
            return None
        for rid, row in zip(fresh, rows, strict=True):
            self.holdings[rid] = Holding(row)
        for rid in rids:
            self._bind(rid, len(rids))
        return [self.holdings[rid].row for rid in rids]

    def free(self, rid: int, *, keep: bool = False) -> None:
        """Give a request's row and slots back; with `keep` its state goes into the prefix cache.

        Raises:
            MambaDoubleFree: the request holds no state slot.
        """
        holding = self.holdings.get(rid)
        if holding is None or holding.slot is None:
            raise MambaDoubleFree(rid)
        if keep:
            self.states.keep([holding.slot])
            self.states.free(holding.tracked)
        else:
            self.states.free([holding.slot, *holding.tracked])
        holding.slot, holding.tracked = None, []
        self.rows.free([holding.row])
        del self.holdings[rid]

    def clear(self) -> None:
        """Nobody holds anything; the pools are cleared by their owner."""
        self.holdings.clear()

    def _bind(self, rid: int, num_reqs: int) -> None:
        holding = self.holdings[rid]
        if holding.slot is None:
            got = self.states.alloc(1, rid)
            if got is None:
                size, free = self.states.size, self.states.available_size()
                raise MambaSlotsExhausted(size, free, num_reqs)
            holding.slot = int(got[0])
        if self.tracking_slots and not holding.tracked:
            got = self.states.alloc(self.tracking_slots, rid)
            if got is None:
                raise MambaPingPongExhausted(self.tracking_slots, self.states.available_size())
            holding.tracked = got.tolist()

    def _shortage(self, rids: Sequence[int]) -> PoolError | None:
        # What upstream would raise on the way, with the numbers it would have by then.
        free = self.states.available_size()
        for rid in rids:
            need = self._lacks_state(rid)
            if need > free:
                return MambaSlotsExhausted(self.states.size, free, len(rids))
            free -= need
            need = self._lacks_tracked(rid)
            if need > free:
                return MambaPingPongExhausted(need, free)
            free -= need
        return None

    def _lacks_state(self, rid: int) -> int:
        holding = self.holdings.get(rid)
        return int(holding is None or holding.slot is None)

    def _lacks_tracked(self, rid: int) -> int:
        holding = self.holdings.get(rid)
        return 0 if holding is not None and holding.tracked else self.tracking_slots
