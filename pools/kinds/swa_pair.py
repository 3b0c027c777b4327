"""Full and sliding-window KV of one model: two pools that page in step, until a window has passed.

    full   [ p1 ][ p2 ][ p3 ][ p4 ]       every token, for layers that see all of them
              ·     ·     │     │
    swa      free  free  [ q7 ][ q2 ]     only the last window, for layers that see no further

Mirrors: sglang 0.5.23 mem_cache/allocator/swa.py (SWATokenToKVPoolAllocator), sizes as
    model_executor/pool_configurator.py (validate_swa_pool_size)
Diverges: peers are kept by page, which is what paging in step comes to (the tail-only allocation of
    a disaggregated decode server, whose offsets differ, is not here); strict checks look at both
    pools before one is changed, where upstream's decode loses the full side when the other is short
Owns: nothing; it takes from both pools and remembers who stands beside whom.

Invariants:
    I1  a sliding-window page that is taken is the peer of exactly one full page that is taken.
    I2  full pages may have no peer (their window has passed), never the other way round.
    I3  strict: a call that raises or returns None changes neither pool.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from pools.base import Checks
from pools.errors import ForeignIndex, InvalidSize
from pools.side_errors import SwaPoolTooSmall
from pools.snapshot import AVAILABLE, PoolSnapshot
from pools.structures.extend_plan import ExtendPlan
from pools.structures.page_peers import PagePeers
from pools.structures.tally import Tally
from pools.structures.token_pool import TokenPool

Ids = NDArray[np.int64]
Ints = NDArray[np.integer]


class SwaPair:
    """Token ids are those of the full pool; `translate` gives their peers."""

    KIND: ClassVar[str] = "swa_pair"
    state: None = None
    generation: None = None
    owner: None = None

    def __init__(
        self,
        full: TokenPool,
        swa: TokenPool,
        *,
        sliding_window_size: int,
        checks: Checks = "strict",
        name: str = "swa_pair",
    ) -> None:
        """A pair over two pools that are both free.

        Raises:
            InvalidSize: different pages, or a window of no tokens.
            SwaPoolTooSmall: the window and a page do not fit the second pool.
        """
        page = full.page_size
        if swa.page_size != page or sliding_window_size < 1:
            raise InvalidSize(
                f"{name}: pages of {page} and {swa.page_size} tokens, a window of "
                f"{sliding_window_size}: pages must be equal, the window 1 or more",
                page_size=page,
                sliding_window_size=sliding_window_size,
            )
        if sliding_window_size + page >= swa.size:
            raise SwaPoolTooSmall(swa.size, sliding_window_size, page)
        self.name, self.full, self.swa, self.page_size = name, full, swa, page
        self.sliding_window_size = sliding_window_size
        self.checks: Checks = checks
        self._peers = PagePeers(full.num_units, page)
        self._tally = Tally()

    def available_size(self) -> int:
        """Tokens that both sides can take."""
        return min(self.full.available_size(), self.swa.available_size())

    def translate(self, full_ids: Ints) -> Ids:
        """Peers of token ids, int64 (n,); 0 where the window has passed, -1 for -1."""
        return self._peers.translate(np.asarray(full_ids, np.int64))

    def alloc(self, need_tokens: int, owner: int) -> Ids | None:
        """Token ids on both sides, int64 (need_tokens,); None when one side is short.

        Raises:
            InvalidSize: as `TokenPool.alloc`.
        """
        if need_tokens > self.available_size():
            return self._short()
        taken = self.full.alloc(need_tokens, owner)
        return self._paired(taken, self.swa.alloc(need_tokens, owner))

    def alloc_extend(
        self, prefix_lens: Ints, seq_lens: Ints, last_locs: Ints, owners: Ints
    ) -> Ids | None:
        """Token ids for prompts that grow; see `TokenPool.alloc_extend`.

        Raises:
            InvalidSize, ForeignIndex: as there; strict, for a last page without a peer too.
        """
        prefixes, lengths = np.asarray(prefix_lens, np.int64), np.asarray(seq_lens, np.int64)
        with self._tally:
            need = int(ExtendPlan.of(prefixes, lengths, self.page_size).pages.sum())
        if need * self.page_size > self.available_size():
            return self._short()
        peers = self._peers_of(last_locs, (prefixes % self.page_size > 0) & (lengths > prefixes))
        taken = self.full.alloc_extend(prefixes, lengths, last_locs, owners)
        return self._paired(taken, self.swa.alloc_extend(prefixes, lengths, peers, owners))

    def alloc_decode(self, seq_lens: Ints, last_locs: Ints, owners: Ints) -> Ids | None:
        """One token id per request; see `TokenPool.alloc_decode`.

        Returns:
            None when one side is short; under upstream checks the other has lost what it took.

        Raises:
            InvalidSize, ForeignIndex: as there; strict, for a last page without a peer too.
        """
        before = np.asarray(seq_lens, np.int64) - 1
        goes_on = (before > 0) & (before % self.page_size > 0)
        need = int(np.count_nonzero(~goes_on)) * self.page_size
        if self.checks == "strict" and need > self.available_size():
            return self._short()
        peers = self._peers_of(last_locs, goes_on)
        taken = self.full.alloc_decode(seq_lens, last_locs, owners)
        beside = self.swa.alloc_decode(seq_lens, peers, owners)
        if taken is None or beside is None:
            return self._short()
        return self._paired(taken, beside)

    def free_swa(self, token_ids: Ints) -> None:
        """The window has passed these tokens: their peers' pages are free, whole.

        Raises:
            ForeignIndex: strict, a token id outside the pool.
            DoubleFree: strict, a token that has no peer any more; nothing is freed.
        """
        ids = self._known(token_ids)
        if self.checks == "strict":
            with self._tally:
                self._peers.check_paired(ids)
        pages = self._peers.pages_of(ids)
        if len(pages):
            self.swa.free(self._peers.part(pages))

    def free(self, token_ids: Ints) -> None:
        """Give back the pages of `token_ids`, and the peers that are still there.

        Raises:
            ForeignIndex, DoubleFree, MemoryCorrupted: as `TokenPool.free`; nothing is freed.
        """
        ids = self._known(token_ids)
        pages = self._peers.pages_of(ids)
        if len(pages):
            self.swa.check(self.translate(pages * self.page_size))
        self.full.free(ids)
        if len(pages):
            self.swa.free(self._peers.part(pages))
        self._tally.frees += 1

    def residual(self) -> int:
        """Sliding-window pages taken that are nobody's peers."""
        taken = self.swa.num_units - self.swa.available_size() // self.page_size
        return taken - self._peers.paired

    def audit(self) -> None:
        """Both pools, and pairs against both.

        Raises:
            IntegrityError: naming what differs.
        """
        self.full.audit()
        self.swa.audit()
        with self._tally:
            held = [np.append(False, pool.state != AVAILABLE) for pool in (self.full, self.swa)]
            self._peers.audit(*held)

    def clear(self) -> None:
        """Both pools free, nobody paired."""
        self.full.clear()
        self.swa.clear()
        self._peers.clear()

    def snapshot(self, now_s: float, source: str = "synthetic") -> PoolSnapshot:
        """A view of the sliding-window pool: pages that are somebody's peers are held."""
        return PoolSnapshot(
            name=self.name,
            kind=self.KIND,
            unit="pages",
            device="cpu",
            source=source,
            capacity=self.swa.num_units,
            available=self.swa.available_size() // self.page_size,
            evictable=0,
            protected=0,
            held=self._peers.paired,
            leaked=self.residual(),
            page_size=self.page_size,
            view_of=self.swa.name,
            counters=self._tally.snapshot(),
            extra={
                "available_size_tokens": self.available_size(),
                "full_available_tokens": self.full.available_size(),
                "swa_available_tokens": self.swa.available_size(),
                "sliding_window_tokens": self.sliding_window_size,
            },
        )

    def geometry(self) -> None:
        """None: the cells are those of the two pools."""

    def _paired(self, taken: Ids | None, beside: Ids | None) -> Ids | None:
        if taken is not None and beside is not None:
            self._peers.pair(taken, beside)
            self._tally.allocs += 1
        return taken

    def _peers_of(self, last_locs: Ints, goes_on: NDArray[np.bool_]) -> Ids:
        last = np.asarray(last_locs, np.int64)
        if self.checks == "strict" and goes_on.any():
            with self._tally:
                self._refuse_unpaired(self._known(last[goes_on]))
        return self.translate(np.where(last > self.full.size + self.page_size - 1, -1, last))

    def _refuse_unpaired(self, last: Ids) -> None:
        gone = last[self.translate(last) <= 0]
        if len(gone):
            text = f"token {gone[0]} has no sliding-window peer, nothing can go on behind it"
            raise ForeignIndex(text, token=int(gone[0]))

    def _known(self, token_ids: Ints) -> Ids:
        ids = np.asarray(token_ids, np.int64)
        top = self.full.size + self.page_size - 1
        outside = (ids < self.page_size) | (ids > top)
        if outside.any():
            token = int(ids[outside][0])
            text = f"token {token} is not in {self.page_size}..{top}"
            raise self._tally.raised(ForeignIndex(text, token=token))
        return ids

    def _short(self) -> Ids | None:
        full, swa = self.full.available_size(), self.swa.available_size()
        self._tally.failed("no_full" if full <= swa else "no_swa")
        return None


POOL = SwaPair
