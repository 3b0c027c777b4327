"""What the engine counts, and the hash over its decisions."""

import hashlib
import struct
from collections import Counter, deque
from collections.abc import Sequence

WAITS_KEPT = 2_048


class EngineLedger:
    """Counters since the start; bounded memory however long the run."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self._waits_s: deque[float] = deque(maxlen=WAITS_KEPT)
        self._digest = hashlib.sha256()

    def add(self, name: str, count: int = 1) -> None:
        """Count something; names end in `_total`."""
        self.counts[name] += count

    def decided(self, what: bytes, rid: int, now_ns: int, tokens: int) -> None:
        """A decision of the scheduler, in order: the result hash is over all of them."""
        self._digest.update(struct.pack("<cqqq", what, rid, now_ns, tokens))

    def keep_all_waits(self) -> None:
        """For a run with an end: quantiles over all waits, 8 bytes a request."""
        self._waits_s = deque(self._waits_s)

    def waited(self, seconds: float) -> None:
        """A request left the queue."""
        self._waits_s.append(seconds)

    def wait_quantiles_s(self) -> tuple[float, float]:
        """p50 and p95 of the queue waits kept (the last 2,048), simulated seconds."""
        waits = sorted(self._waits_s)
        return _quantile(waits, 0.5), _quantile(waits, 0.95)

    def result_hash(self) -> str:
        """Of all decisions so far and the counters, hexadecimal."""
        digest = self._digest.copy()
        digest.update(repr(sorted(self.counts.items())).encode())
        return digest.hexdigest()


def _quantile(ordered: Sequence[float], q: float) -> float:
    return ordered[min(int(q * len(ordered)), len(ordered) - 1)] if ordered else 0.0
