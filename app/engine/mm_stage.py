"""Multimodal features on their way to the scheduler ranks: lease, publish, acknowledge, recycle.

Mirrors: sglang 0.5.23 multimodal/transport/cuda_ipc.py, multimodal/processors/base_processor.py: a
    full pool means the slow path over host memory, never an error.
"""

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass

import torch

from app.engine.ledger import EngineLedger
from pools.errors import PoolError
from pools.kinds.mm_feature import MmFeature
from pools.structures.leases import Lease

#: a rank takes this long from the scheduler's loop boundary to its acknowledgement
ACK_NS = 3_000_000
#: and each further rank this much longer
RANK_STAGGER_NS = 2_000_000
PATTERN_BYTES = 1 << 20


@dataclass(slots=True)
class Silence:
    """A consumer that holds back a share of its acknowledgements for a while."""

    until_ns: int
    share: float
    _owed: float = 0.0

    def holds_back(self, now_ns: int) -> bool:
        """Whether the next acknowledgement waits; evenly spread, no dice."""
        if now_ns >= self.until_ns:
            return False
        self._owed += self.share
        if self._owed < 1.0:
            return False
        self._owed -= 1.0
        return True


class MmStage:
    """Owns the leases between arrival and the last acknowledgement."""

    def __init__(self, pool: MmFeature, consumers: int, ledger: EngineLedger) -> None:
        self.pool = pool
        self._consumers, self._ledger = consumers, ledger
        self._acks: list[tuple[int, int, int, Lease]] = []
        self._order = itertools.count()
        self._silent: dict[int, Silence] = {}
        self._held_back: list[tuple[int, Lease]] = []
        #: told of each lease that the recycler freed
        self.on_freed: Callable[[Lease], None] = lambda lease: None
        self._pattern = torch.arange(PATTERN_BYTES, dtype=torch.uint8)

    def arrive(self, sizes: tuple[int, ...], rid: int, now_ns: int) -> list[PoolError]:
        """Lease each feature and copy it in; what gets no lease takes the slow path.

        Args:
            sizes: bytes of each feature.
        Returns:
            Errors the pool raised (a worn slot), each counted as a slow path too.
        """
        raised = []
        for nbytes in sizes:
            try:
                lease, _ = self.pool.copy_tensor(self._feature(nbytes), now_ns / 1e9, rid)
            except PoolError as error:
                raised.append(error)
                lease = None
            if lease is None:
                self._ledger.add("mm_fallbacks_total")
                continue
            self._ledger.add("mm_leases_total")
            for consumer in range(self._consumers):
                due = now_ns + ACK_NS + consumer * RANK_STAGGER_NS
                heapq.heappush(self._acks, (due, next(self._order), consumer, lease))
        return raised

    def silence(self, consumer: int, until_ns: int, share: float = 1.0) -> None:
        """Until `until_ns` a consumer holds back this share of its acknowledgements."""
        self._silent[consumer] = Silence(until_ns, share)

    def advance(self, now_ns: int) -> None:
        """Acknowledgements that are due by now, then the recycler if its interval has passed."""
        self._release_silenced(now_ns)
        while self._acks and self._acks[0][0] <= now_ns:
            _, _, consumer, lease = heapq.heappop(self._acks)
            silence = self._silent.get(consumer)
            if silence is not None and silence.holds_back(now_ns):
                self._held_back.append((consumer, lease))
            else:
                self.pool.acknowledge(lease, consumer)
        for lease in self.pool.recycle(now_ns / 1e9):
            self.on_freed(lease)

    @property
    def next_due_ns(self) -> int | None:
        """When the next acknowledgement is due, or None."""
        due = [self._acks[0][0]] if self._acks else []
        if self._held_back:
            due.append(max(silence.until_ns for silence in self._silent.values()))
        return min(due) if due else None

    @property
    def leased(self) -> bool:
        """Whether any lease has not been recycled yet."""
        return bool(self.pool.book.occupied)

    def _release_silenced(self, now_ns: int) -> None:
        still = []
        for consumer, lease in self._held_back:
            if now_ns < self._silent[consumer].until_ns:
                still.append((consumer, lease))
            else:
                self.pool.acknowledge(lease, consumer)
        self._held_back = still

    def _feature(self, nbytes: int) -> torch.Tensor:
        # A repeated pattern, expanded without a copy where it fits, is as good as an image here.
        if nbytes <= PATTERN_BYTES:
            return self._pattern[:nbytes]
        return self._pattern.repeat(-(-nbytes // PATTERN_BYTES))[:nbytes]
