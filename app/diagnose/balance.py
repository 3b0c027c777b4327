"""The parts of a pool as leak messages and pool dumps print them, in all layouts of 0.4 and 0.5."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_N = r"(-?\d{1,20})"
_PARTS = re.compile(
    rf"\[(full|swa|mamba|mamba_ckpt)\] total={_N}, available={_N}, evictable={_N}, protected={_N}"
    rf"(?:, session_held={_N})?(?:, uncached={_N})?"
)
_EXPECTED = re.compile(rf"\[dp=\d{{1,4}}\] expected={_N}, avail={_N}, evict={_N}, protected={_N}")
_HYBRID = {
    pool: (
        re.compile(total),
        re.compile(rf"\b{pool}_available_size={_N}"),
        re.compile(rf"\b{pool}_evictable_size={_N}"),
        re.compile(rf"\b{pool}_protected_size\(\)={_N}"),
    )
    for pool, total in {
        "full": rf"(?:full_tokens_per_layer|token_to_kv_pool_allocator\.size)={_N}",
        "swa": rf"swa_tokens_per_layer={_N}",
        "mamba": rf"mamba_pool\.size={_N}",
    }.items()
}
_TOTAL = re.compile(rf"max_total_num_tokens={_N}")
_AVAILABLE = re.compile(rf"(?<![\w.])available_size={_N}")
_EVICTABLE = re.compile(rf"(?<![\w.])evictable_size={_N}")
_PROTECTED = re.compile(rf"(?<![\w.])protected_size={_N}")


@dataclass(frozen=True, slots=True)
class Balance:
    """What one pool printed about itself, in its own unit.

    Attributes:
        uncached: of running requests; None where the line does not say.
    """

    pool: str
    total: int
    available: int
    evictable: int
    protected: int
    session_held: int = 0
    uncached: int | None = None

    @property
    def residual(self) -> int:
        """Above zero: lost, or in flight where `uncached` is unknown. Below: counted twice."""
        parts = self.available + self.evictable + self.protected + self.session_held
        return self.total - parts - (self.uncached or 0)

    def numbers(self, prefix: str) -> dict[str, int]:
        """The parts and the residual by name."""
        named = {
            "total": self.total,
            "available": self.available,
            "evictable": self.evictable,
            "protected": self.protected,
            "session_held": self.session_held,
            "residual": self.residual,
        }
        if self.uncached is not None:
            named["uncached"] = self.uncached
        return {f"{prefix}{name}": value for name, value in named.items()}


def read_balances(text: str) -> tuple[Balance, ...]:
    """Every pool that a message lists; the first layout that fits is the message's."""
    for layout in _LAYOUTS:
        found = tuple(layout(text))
        if found:
            return found
    return ()


def numbers_of(balances: tuple[Balance, ...]) -> dict[str, int]:
    """Parts by name; with several pools each name begins with its pool's."""
    named: dict[str, int] = {}
    for balance in balances:
        named |= balance.numbers(f"{balance.pool}_" if len(balances) > 1 else "")
    return named


def _parts(text: str) -> Iterator[Balance]:
    seen = set()
    for found in _PARTS.finditer(text):
        pool, *parts = found.groups()
        if pool not in seen:  # the next rank's message may follow at once
            seen.add(pool)
            total, available, evictable, protected = map(int, parts[:4])
            uncached = None if parts[5] is None else int(parts[5])
            session = int(parts[4] or 0)
            yield Balance(pool, total, available, evictable, protected, session, uncached)


def _expected(text: str) -> Iterator[Balance]:
    found = _EXPECTED.search(text)
    if found:
        yield Balance("full", *map(int, found.groups()))


def _hybrid(text: str) -> Iterator[Balance]:
    for pool, patterns in _HYBRID.items():
        found = [pattern.search(text) for pattern in patterns]
        parts = [int(one[1]) for one in found if one is not None]
        if len(parts) == len(patterns):
            yield Balance(pool, *parts)


def _one_pool(text: str) -> Iterator[Balance]:
    total, available = _TOTAL.search(text), _AVAILABLE.search(text)
    if total is None or available is None:
        return
    evictable, protected = _EVICTABLE.search(text), _PROTECTED.search(text)
    # The oldest layout adds evictable to `available_size` and prints no `evictable_size`.
    yield Balance(
        "full",
        int(total[1]),
        int(available[1]),
        int(evictable[1]) if evictable else 0,
        int(protected[1]) if protected else 0,
    )


_LAYOUTS: tuple[Callable[[str], Iterator[Balance]], ...] = (_parts, _expected, _hybrid, _one_pool)
