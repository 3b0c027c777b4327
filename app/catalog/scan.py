"""Which literals occur in a text: one pass over it for all of them, linear whatever it says."""

from collections.abc import Iterable

import re2


class LiteralSet:
    """A fixed list of literals, compiled once to one automaton (RE2, no backtracking)."""

    def __init__(self, literals: Iterable[str]) -> None:
        self.literals = tuple(dict.fromkeys(literals))
        self._set = re2.Set.SearchSet()
        for literal in self.literals:
            self._set.Add(re2.escape(literal))
        self._set.Compile()

    def within(self, text: str) -> set[str]:
        """The literals that occur in `text`."""
        try:
            found = self._set.Match(text)
        except UnicodeEncodeError:  # half a surrogate pair, which JSON can spell
            found = self._set.Match(text.encode("utf-8", "replace"))
        return {self.literals[index] for index in found or ()}
