"""`MmFeature` beside `StreamOrderedMmFeaturePool`: ranges in order of preference."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from pools.kinds.mm_feature import MmFeature
from tests.conformance.cuda_stand_in import BASE, feature_pool, stream_write
from tests.conformance.walk import Operation, Pair, Setup

KIB = 1024
CONSUMERS, SLOTS = 2, 12
MEMORY = 256 + 64 * KIB
LIMIT = 0x7FFFFFFF


class Ours:
    """Our pool; leases are known by the turn in which they were given."""

    def __init__(self, setup: Setup) -> None:
        self.pool = MmFeature(MEMORY, CONSUMERS, num_slots=SLOTS, checks=setup.checks)
        self.leases: list[Any] = []
        self.now_s = 0.0

    def lease(self, nbytes: int) -> Any:
        lease = self.pool.lease(nbytes, self.now_s)
        if lease is None:
            return None
        self.leases.append(lease)
        return lease.start, lease.end, lease.nbytes, lease.slot, lease.generation

    def publish(self, turn: int) -> None:
        self.pool.publish(self.leases[turn])

    def acknowledge(self, turn: int, consumer: int) -> None:
        self.pool.acknowledge(self.leases[turn], consumer)

    def cancel(self, turn: int) -> None:
        self.pool.cancel(self.leases[turn])

    def release(self, turn: int) -> None:
        self.pool.release(self.leases[turn])

    def recycle(self) -> None:
        self.now_s += self.pool.recycle_interval_s
        self.pool.recycle(self.now_s)

    def merge(self) -> None:
        self.pool.space.merge()

    def wear(self, value: int) -> None:
        """Free slots age, none gets younger: a generation that came again would name two leases."""
        for slot in self.pool.book.free_slots():
            if self.pool.generation[slot] < value:
                self.pool.set_generation(slot, value)

    def wear_slot(self, slot: int, value: int) -> None:
        self.pool.set_generation(slot, value)

    def look(self) -> Mapping[str, object]:
        book = self.pool.book
        return {
            "ranges": self.pool.space.order(),
            "slots": book.free_slots(),
            "generation": self.pool.generation.tolist(),
            "leased": sorted(book.occupied),
        }


class Upstream:
    """SGLang's pool, called as its own threads call it."""

    def __init__(self, setup: Setup) -> None:
        self.pool = feature_pool(MEMORY, CONSUMERS, SLOTS)
        self.leases: list[Any] = []

    def lease(self, nbytes: int) -> Any:
        lease = self.pool._allocate_locked(nbytes)
        if lease is None:
            return None
        self.leases.append(lease)
        return lease.start, lease.end, lease.nbytes, lease.slot, lease.generation

    def publish(self, turn: int) -> None:
        lease = self.leases[turn]
        stream_write(0, BASE + lease.ready_byte_offset, lease.generation, "")

    def acknowledge(self, turn: int, consumer: int) -> None:
        lease = self.leases[turn]
        stream_write(0, BASE + lease.ack_byte_offset + 4 * consumer, lease.generation, "")

    def cancel(self, turn: int) -> None:
        lease = self.leases[turn]
        self.pool.cancel_lease(
            ready_byte_offset=lease.ready_byte_offset,
            ack_byte_offset=lease.ack_byte_offset,
            generation=lease.generation,
        )

    def release(self, turn: int) -> None:
        self.pool._release_locked(self.leases[turn])

    def recycle(self) -> None:
        self.pool._recycle_ready_leases_locked()

    def merge(self) -> None:
        self.pool._merge_ranges_locked()

    def wear(self, value: int) -> None:
        generations = self.pool._slot_generations
        for slot in self.pool._available_slots:
            generations[slot] = max(generations[slot], value)

    def wear_slot(self, slot: int, value: int) -> None:
        self.pool._slot_generations[slot] = value

    def look(self) -> Mapping[str, object]:
        pool = self.pool
        ranges = [(end - start, turn) for turn, (start, end) in enumerate(pool._available_ranges)]
        return {
            "ranges": [pool._available_ranges[turn] for _, turn in sorted(ranges)],
            "slots": list(pool._available_slots),
            "generation": list(pool._slot_generations),
            "leased": sorted(pool._occupied),
        }


class Chooser:
    """A producer, consumers that answer late or never, and a recycler."""

    def __init__(self, setup: Setup, random: Random) -> None:
        self.random, self.misuse = random, setup.misuse
        #: words still to be written, by turn; leases that are out are its keys
        self.owed: dict[int, list[int]] = {}
        self.leased: set[int] = set()
        self.turns = 0

    def choose(self) -> Operation:
        dice = self.random.random()
        if self.misuse and dice < 0.02:
            return "wear", (self.random.choice((LIMIT - 2, LIMIT - 1, LIMIT)),)
        if self.turns and dice < 0.05:
            # A lease that may be over: both modes of ours refuse it as upstream does.
            turn = self.random.randrange(self.turns)
            return self.random.choice((("release", (turn,)), self._cancel(turn)))
        if dice < 0.08:
            return "merge", ()
        # Strict pools merge in a pass without leases too: a difference of docs/differences.md.
        if dice < 0.20 and (self.misuse or self.leased):
            return "recycle", ()
        owing = [turn for turn, words in self.owed.items() if words]
        if dice < 0.50 or not owing:
            # Few sizes, so that ranges of equal size are common.
            sizes = (1, 256, 2 * KIB, 2 * KIB, 4 * KIB, 5000, 16 * KIB, 80 * KIB)
            return "lease", (self.random.choice(sizes),)
        return self._answer(self.random.choice(owing))

    def note(self, operation: Operation, value: Any) -> None:
        name, arguments = operation
        if name == "lease" and value is not None:
            self.owed[self.turns] = [-1, *range(CONSUMERS)]
            self.leased.add(self.turns)
            self.turns += 1
        elif name in ("publish", "acknowledge"):
            self.owed[arguments[0]].remove(arguments[1] if len(arguments) > 1 else -1)
        elif name in ("release", "cancel"):
            self.owed.pop(arguments[0], None)
            if name == "release":
                self.leased.discard(arguments[0])
        elif name == "recycle":
            self.owed = {turn: words for turn, words in self.owed.items() if words}
            # A cancelled lease was in `leased` alone until this pass.
            self.leased = set(self.owed)

    def _answer(self, turn: int) -> Operation:
        if -1 in self.owed[turn]:
            return "publish", (turn,)
        return "acknowledge", (turn, self.random.choice(self.owed[turn]))

    def _cancel(self, turn: int) -> Operation:
        if -1 in self.owed.get(turn, ()):
            return "publish", (turn,)  # a cancel waits for what was never published, for ever
        return "cancel", (turn,)


def setups() -> Sequence[Setup]:
    return [Setup("upstream"), Setup("strict")]


PAIR = Pair(Ours, Upstream, Chooser, setups)
