"""What the paged and the token-granular KV pool share: everything but page size and order.

Token ids are what callers see: token = unit * page_size + offset. Unit 0 is padding, as upstream.

Invariants:
    I1  available + evictable + protected + held + leaked == capacity, each from its own book.
    I2  a unit is free, or has one owner, or belongs to the tree.
    I3  a unit's generation only grows.
    I4  a call that raises or returns None changes nothing that can be seen.
    I5  what was written to a unit is what a free reads back (memory_check).
"""

from collections.abc import Callable

import numpy as np

from pools.errors import ForeignIndex, InvalidSize
from pools.structures.batch import batch_of, check_lengths, check_owner
from pools.structures.decode_plan import DecodePlan
from pools.structures.extend_plan import ExtendPlan
from pools.structures.page_runs import check_segment
from pools.structures.token_books import Ids, Ints, TokenBooks


class TokenPool(TokenBooks):
    """Hands out token ids and takes them back; `pools.kinds` sets page size and order."""

    def alloc(self, need_tokens: int, owner: int) -> Ids | None:
        """Token ids of whole units, int64, shape (need_tokens,); None when too few are free.

        Under upstream checks a size is floored to pages, and a negative one takes all but that
        many, as a slice does.

        Raises:
            InvalidSize: strict, a size that is negative or no multiple of the page; an owner
                outside int32.
        """
        with self._tally:
            check_owner(owner)
        if self.checks == "strict" and (need_tokens < 0 or need_tokens % self.page_size):
            raise self._tally.raised(self._invalid(need_tokens))
        count = need_tokens // self.page_size
        if count < 0:
            count = max(self._free.listed + count, 0)
        units = self._take(count)
        if units is None:
            return None
        self._book.give(units, owner)
        self._tally.allocs += 1
        if self.page_size == 1:
            return units
        return (units[:, None] * self.page_size + np.arange(self.page_size)).ravel()

    def alloc_extend(
        self, prefix_lens: Ints, seq_lens: Ints, last_locs: Ints, owners: Ints
    ) -> Ids | None:
        """Token ids for prompts that grow from prefix_lens to seq_lens.

        The last page of a prefix is filled up first, then new units are taken.

        Args:
            prefix_lens, seq_lens: tokens before and after, shape (bs,).
            last_locs: token id of each prefix's last token (any where there is none), shape (bs,).
            owners: shape (bs,).
        Returns:
            int64 token ids, shape (sum(seq_lens - prefix_lens),), request after request; None when
            too few units are free.

        Raises:
            InvalidSize: a length below its prefix, arrays of different lengths, or an owner
                outside int32.
            ForeignIndex: strict, a last page that its owner does not hold.
        """
        with self._tally:
            prefixes, lengths, last, holders = batch_of(
                owners, prefix_lens=prefix_lens, seq_lens=seq_lens, last_locs=last_locs
            )
            plan = ExtendPlan.of(prefixes, lengths, self.page_size)
            goes_on = np.flatnonzero(plan.tails)
            if goes_on.size and self.checks == "strict":
                self._check_goes_on(last[goes_on] + 1, prefixes[goes_on], holders[goes_on])
        need = int(plan.pages.sum())
        units = self._take(need, need if self.page_size == 1 else plan.enough)
        if units is None:
            return None
        if len(plan.pages) == 1:
            self._book.give(units, int(holders[0]))
        elif need:
            self._book.give_each(units, np.repeat(holders, plan.pages))
        self._tally.allocs += 1
        return units if self.page_size == 1 else plan.tokens(last, units, self.page_size)

    def alloc_decode(self, seq_lens: Ints, last_locs: Ints, owners: Ints) -> Ids | None:
        """One token id per request; a new unit where the length crosses a page.

        Args:
            seq_lens: lengths that include the new token, shape (bs,).
            last_locs: token id of the token before, shape (bs,).
            owners: shape (bs,).
        Returns:
            int64, shape (bs,); None when too few units are free.

        Raises:
            InvalidSize: arrays of different lengths, or an owner outside int32; strict, a length
                below 1.
            ForeignIndex: strict, a last page that its owner does not hold.
        """
        with self._tally:
            lengths, last, holders = batch_of(owners, seq_lens=seq_lens, last_locs=last_locs)
            before, ids = lengths - 1, last + 1
            goes_on = np.flatnonzero(before % self.page_size)
            if self.checks == "strict":
                check_lengths(lengths)
                if goes_on.size:
                    self._check_goes_on(ids[goes_on], before[goes_on], holders[goes_on])
        units = self._take(len(ids) - len(goes_on), 0 if self.page_size == 1 else len(ids))
        if units is None:
            return None
        if units.size:
            crossing = np.flatnonzero(before % self.page_size == 0)
            ids[crossing] = units * self.page_size
            self._book.give_each(units, holders[crossing])
        self._tally.allocs += 1
        return ids

    def alloc_decode_steps(
        self, lengths: Ints, last_locs: Ints, owners: Ints, steps: int
    ) -> Ids | None:
        """`steps` calls of `alloc_decode` at once: as many pages, for the same requests.

        Args:
            lengths: before the first step, shape (bs,).
            last_locs: token id of the token before, shape (bs,).
            owners: shape (bs,).
            steps: at least 1.
        Returns:
            int64, shape (steps, bs); None when too few units are free for all.

        Raises:
            InvalidSize: no steps, and as `alloc_decode`.
            ForeignIndex: as `alloc_decode`.
        """
        with self._tally:
            if steps < 1:
                raise InvalidSize(f"steps {steps} is not 1 or more", steps=steps)
            before, last, holders = batch_of(owners, lengths=lengths, last_locs=last_locs)
            goes_on = np.flatnonzero(before % self.page_size)
            if self.checks == "strict":
                check_lengths(before + 1)
                if goes_on.size:
                    self._check_goes_on(last[goes_on] + 1, before[goes_on], holders[goes_on])
        plan = DecodePlan.of(before, steps, self.page_size)
        units = self._take(int(np.count_nonzero(plan.crosses)), len(last))
        if units is None:
            return None
        if units.size:
            self._book.give_each(units, plan.owners(holders))
        self._tally.allocs += steps
        return plan.tokens(last, units, self.page_size)

    def free(self, token_ids: Ints) -> None:
        """Give back the units of `token_ids`, whole.

        Raises:
            DoubleFree, ForeignIndex: strict checks; nothing is freed.
            MemoryCorrupted: strict, the buffer does not hold what was written; nothing is freed.
                Under upstream checks such tokens are counted instead.
        """
        ids = np.asarray(token_ids, np.int64)
        if ids.size:
            self._free_units(lambda: self._units_of(ids))

    def free_segment(self, token_ids: Ints) -> None:
        """Give back token ids that begin on a page and go on page after page, as a row's do.

        The pages are taken back in this order, where `free` sorts them; the last may be partial.

        Raises:
            ForeignIndex: strict, ids that do not begin on a page or leave one in its middle.
            DoubleFree, MemoryCorrupted: as `free`.
        """
        ids = np.asarray(token_ids, np.int64)
        if ids.size:
            self._free_units(lambda: self._segment(ids))

    def free_units(self) -> tuple[Ids, Ids]:
        """Units that a call gets next, in this order, and those that wait; int64 copies."""
        free = self._free.to_array()
        return free[: self._free.listed], free[self._free.listed :]

    def _free_units(self, units_of: Callable[[], Ids]) -> None:
        with self._tally:
            units = units_of()
            holders = self._book.check_free(units)
            if self._stamps is not None and self.checks == "strict":
                self._stamps.check(units)
        self._book.take_back(units, holders)
        if self._stamps is not None:
            known = units
            if self.checks != "strict":
                known = np.unique(self._stamps.inside(units))
                self._corrupted_tokens_total += len(self._stamps.differing(known))
            self._stamps.forget(known)
        self._give_back(units)
        self._tally.frees += 1

    def _segment(self, ids: Ids) -> Ids:
        if self.checks == "strict" and self.page_size > 1:
            check_segment(ids, self.page_size)
        return ids[:: self.page_size] // self.page_size

    def _take(self, count: int, enough: int = 0) -> Ids | None:
        units = self._free.take(count, enough)
        if units is None:
            self._tally.failed(f"no_{self.UNIT}")
        return units

    def _check_goes_on(self, ids: Ids, lengths: Ids, owners: Ints) -> None:
        # Strict: the next token ids lie where the lengths say, in units of their owners.
        page = self.page_size
        off = ids % page != lengths % page
        if off.any():
            at = int(np.flatnonzero(off)[0])
            raise ForeignIndex(
                f"token {ids[at] - 1} is not held at the end of {lengths[at]} tokens: its offset "
                f"in a page of {page} is {(ids[at] - 1) % page}",
                token=int(ids[at] - 1),
                length=int(lengths[at]),
                page_size=page,
            )
        self._book.check_held(ids // page, owners)

    def _invalid(self, need_tokens: int) -> InvalidSize:
        page = self.page_size
        numbers = {"need_size": need_tokens, "page_size": page}
        if page == 1:
            return InvalidSize(f"need_size {need_tokens} is negative", **numbers)
        return InvalidSize(
            f"need_size {need_tokens} is no multiple of page_size {page} that can be handed out",
            **numbers,
        )

    def _units_of(self, ids: Ids) -> Ids:
        raise NotImplementedError

    def _give_back(self, units: Ids) -> None:
        raise NotImplementedError
