"""One block of a log, with the answers that reading it needs again and again."""

import bisect
import re
from collections.abc import Collection, Iterator

from app.diagnose.mask import shown
from app.diagnose.source import BEHIND, Block
from app.diagnose.stamp import HEAD, Stamp, line_end, line_start, read_stamp, stamp_before

#: occurrences of one literal that are read in one block
MAX_PER_BLOCK = 2_000
#: lines below a message's first that are kept to be shown
MAX_BELOW = 4
#: characters of a line around a place that are looked at
_LEFT, _RIGHT = 200, 1_200


class Piece:
    """A block and the literals that occur in it.

    Args:
        present: of the literals asked for, those that the block holds.
    """

    def __init__(self, block: Block, present: Collection[str]) -> None:
        self.text, self.start, self.stop = block.text, block.start, block.stop
        self.present = frozenset(present)
        self._first_line = block.line
        self._breaks: list[int] | None = None

    def has(self, literals: Collection[str]) -> bool:
        """Whether any of them occurs."""
        return not self.present.isdisjoint(literals)

    def is_own(self, at: int) -> bool:
        """Whether what begins at `at` belongs to this block and not to a neighbour."""
        return self.start <= at < self.stop

    def places(self, literal: str) -> Iterator[int]:
        """Where a literal begins within the block's own part."""
        if literal not in self.present:
            return
        at = self.text.find(literal, self.start)
        for _ in range(MAX_PER_BLOCK):
            if at < 0 or at >= self.stop:
                return
            yield at
            at = self.text.find(literal, at + len(literal))

    def count(self, literal: str) -> int:
        """How often a literal occurs in the block's own part."""
        if literal not in self.present:
            return 0
        return self.text.count(literal, self.start, self.stop + len(literal) - 1)

    def line_of(self, at: int) -> int:
        """Number of the line that `at` is on, from 1 in the whole log."""
        if self._breaks is None:
            self._breaks = [found.start() for found in re.finditer("\n", self.text)]
        return self._first_line + bisect.bisect_left(self._breaks, at)

    def begin_of(self, at: int) -> int:
        """Where its line begins, or as far back as a line is looked at."""
        return max(line_start(self.text, at), at - _LEFT)

    def line(self, at: int) -> str:
        """Its line as it may be shown."""
        return shown(self.text[self.begin_of(at) : min(line_end(self.text, at), at + _RIGHT)])

    def below(self, at: int) -> tuple[str, ...]:
        """The rest of a message of several lines: what has no prefix of its own."""
        lines: list[str] = []
        at = line_end(self.text, at) + 1
        while len(lines) < MAX_BELOW and at < len(self.text):
            end = line_end(self.text, at)
            line = self.text[at : min(end, at + _RIGHT)].strip()
            if not line or line.startswith(("Traceback", "File ")) or read_stamp(line[:HEAD]):
                break
            lines.append(shown(line))
            at = end + 1
        return tuple(lines)

    def stamp(self, at: int) -> Stamp:
        """Of its line, else of the nearest line above that has one."""
        return stamp_before(self.text, at, BEHIND)

    def first_time(self) -> str | None:
        """The first time that a line near the block's beginning has."""
        lines = self.text[self.start : self.start + BEHIND].split("\n")
        return next(filter(None, (read_stamp(line[:HEAD]).time for line in lines)), None)

    def last_time(self) -> str | None:
        """The time of the block's last line."""
        end = self.stop - (1 if self.text.endswith("\n") else 0)
        return self.stamp(end).time
