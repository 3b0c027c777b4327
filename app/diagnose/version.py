"""Which release wrote the log: read where it says so, else bounded by the words it uses.

The bounds come from reading the message texts of releases 0.4.1, 0.4.4, 0.4.6.post5, 0.4.9.post6,
0.5.1, 0.5.3, 0.5.6, 0.5.9, 0.5.12, 0.5.16, 0.5.20 and 0.5.23.
"""

import re
from dataclasses import dataclass, field

from app.catalog.entry import SGLANG_VERSION

_NUMBER = r"(\d{1,3}\.\d{1,3}\.\d{1,3}(?:[.-]?(?:post|rc|dev)\d{1,4})?)"
_SAID = re.compile(
    rf"(?i)(?:\bsglang(?:==|:v|[ /-]v?|[ _]version['\"]?[ =:]{{1,3}}['\"]?v?)|"
    rf"\bsglang_version['\"]?[=:] ?['\"]?){_NUMBER}"
)
SAID_ANCHORS = ("sglang", "SGLang")


@dataclass(frozen=True, slots=True)
class Wording:
    """Words that releases after `after` and before `before` print (the one or the other)."""

    words: str
    after: str | None = None
    before: str | None = None


WORDINGS = (
    Wording("Avaliable tokens", before="0.4.6.post5"),
    Wording("Decode out of memory happened", before="0.4.9.post6"),
    Wording("KV cache pool is full. Retract requests", after="0.4.6.post5"),
    Wording("Decode batch. #", before="0.5.6"),
    Wording("Prefill batch. #", before="0.5.6"),
    Wording("Decode batch, #", after="0.5.3"),
    Wording("Prefill batch, #", after="0.5.3"),
    Wording("SIGQUIT received. signum=", after="0.5.1"),
    Wording("memory leak detected! [full] total=", after="0.5.9"),
    Wording("token_to_kv_pool_allocator memory leak detected!", before="0.5.12"),
    Wording("Scheduler watchdog timeout (self.", after="0.5.6"),
    Wording("] Watchdog timeout (self.", before="0.5.9"),
    Wording("KV cache is full! There is a bug in memory", before="0.5.12"),
)


@dataclass(slots=True)
class Version:
    """What is known of the release.

    Attributes:
        exact: as the log says it, or None.
    """

    exact: str | None = None
    words: dict[str, int] = field(default_factory=dict)

    def read(self, text: str) -> int | None:
        """Take a piece of text in which a release may be named; where it is, if it is."""
        found = _SAID.search(text)
        if found is None:
            return None
        self.exact = found[1]
        return found.start()

    @property
    def bounds(self) -> tuple[str | None, str | None]:
        """After which and before which release; (None, None) where words contradict each other."""
        seen = [one for one in WORDINGS if one.words in self.words]
        after = max((one.after for one in seen if one.after), key=_key, default=None)
        before = min((one.before for one in seen if one.before), key=_key, default=None)
        if after and before and _key(after) >= _key(before):
            return None, None  # a fork, a backport, or two servers in one log
        return after, before

    @property
    def modelled(self) -> bool | None:
        """Whether this is the release that the catalog was written from; None: cannot tell."""
        if self.exact:
            return _key(self.exact) == _key(SGLANG_VERSION)
        before = self.bounds[1]
        return False if before and _key(before) <= _key(SGLANG_VERSION) else None

    def describe(self) -> str:
        """`0.5.9`, `after 0.5.3, before 0.5.6`, or nothing."""
        if self.exact:
            return self.exact
        after, before = self.bounds
        said = (("after", after), ("before", before))
        return ", ".join(f"{word} {release}" for word, release in said if release)


def _key(release: str) -> tuple[int, ...]:
    numbers = [int(part) for part in re.findall(r"\d+", release)[:4]]
    # 0.4.6.post5 comes after 0.4.6; a release candidate before its release
    last = -1 if re.search(r"rc|dev", release) else 0
    return (*numbers[:3], numbers[3] if len(numbers) > 3 and last == 0 else last)
