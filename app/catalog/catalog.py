"""All entries, found by discovery: one file in `app/catalog/entries/`, constant `ENTRY`."""

import difflib
import re
from collections.abc import Iterable

from app.catalog import entries
from app.catalog.entry import SEVERITIES, ErrorEntry
from pools.base import discover

ID = re.compile(r"[0-9a-f]{16}")
CODE = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
WORD = re.compile(r"[a-z0-9]{3,}")
#: longer than any code or title that someone mistypes
#: fewer characters of a message may stand in several
QUOTE_CHARS = 16
TYPO_CHARS = 80


class CatalogError(ValueError):
    """An entry breaks a rule of the catalog; the text names it and the rule."""


class Catalog:
    """Entries by code, by id and by words, worst severity first.

    Raises:
        CatalogError: a bad or repeated code or id, a related code without an entry.
    """

    def __init__(self, found: Iterable[ErrorEntry]) -> None:
        rank = list(SEVERITIES)
        self.entries = tuple(sorted(found, key=lambda one: (rank.index(one.severity), one.code)))
        self.by_code = {entry.code: entry for entry in self.entries}
        self.by_id = {entry.id: entry for entry in self.entries}
        self._words = {entry.code: _haystack(entry) for entry in self.entries}
        self._check()

    def get(self, key: str) -> ErrorEntry | None:
        """The entry with this code or 16-hex id; case does not matter."""
        key = key.strip().lower()
        return self.by_code.get(key) or self.by_id.get(key)

    def search(
        self,
        q: str = "",
        *,
        severity: str | None = None,
        pool: str | None = None,
        reach: str | None = None,
        origin: str | None = None,
    ) -> list[ErrorEntry]:
        """Entries that contain every word of `q` and have each given property."""
        asked = {"severity": severity, "pool": pool, "reach": reach, "origin": origin}
        wanted = {name: value for name, value in asked.items() if value}
        words = q.lower().split()
        return [
            entry
            for entry in self.entries
            if all(getattr(entry, name) == value for name, value in wanted.items())
            and all(word in self._words[entry.code] for word in words)
        ]

    def quoted(self, text: str) -> list[ErrorEntry]:
        """Entries whose message contains `text`, which must be long enough to mean one."""
        part = " ".join(text.lower().split()).rstrip(".")
        if len(part) < QUOTE_CHARS:
            return []
        return [entry for entry in self.entries if part in " ".join(entry.message.lower().split())]

    def nearest(self, text: str, count: int = 3) -> list[ErrorEntry]:
        """Entries that someone who wrote `text` may have meant, best first; may be empty."""
        text = text.strip().lower()
        if not text:
            return []
        close: list[str] = []
        if len(text) <= TYPO_CHARS:
            slug = re.sub(r"[\s_]+", "-", text)
            close = difflib.get_close_matches(slug, [*self.by_code, *self.by_id], count, 0.6)
        found = [entry for key in close if (entry := self.get(key)) is not None]
        words = set(WORD.findall(text[:4_000]))
        scored = [(len(words & _words(entry)), entry) for entry in self.entries]
        scored.sort(key=lambda item: -item[0])
        found += [entry for score, entry in scored if score >= min(2, len(words)) and score > 0]
        return list(dict.fromkeys(found))[:count]

    def choices(self, name: str) -> list[str]:
        """Values that occur for a property, sorted."""
        return sorted({str(getattr(entry, name)) for entry in self.entries})

    def _check(self) -> None:
        for entry in self.entries:
            if self.by_code[entry.code] is not entry or not CODE.fullmatch(entry.code):
                raise CatalogError(f"{entry.code}: code must be unique and kebab-case")
            if self.by_id[entry.id] is not entry or not ID.fullmatch(entry.id):
                raise CatalogError(f"{entry.code}: id {entry.id!r} must be unique, 16 hex digits")
            for code in entry.related:
                if code not in self.by_code or code == entry.code:
                    raise CatalogError(f"{entry.code}: related {code!r} has no entry of its own")
            for remedy in entry.remedies:
                if remedy.status != "unproved" and not (remedy.proof or remedy.key):
                    raise CatalogError(
                        f"{entry.code}: {remedy.status} without proof: {remedy.text}"
                    )


def _load() -> Catalog:
    found: dict[str, ErrorEntry] = discover(entries, "ENTRY")
    for module, entry in found.items():
        if module != entry.code.replace("-", "_"):
            raise CatalogError(f"entries/{module}.py holds {entry.code!r}; name the file after it")
    return Catalog(found.values())


def _haystack(entry: ErrorEntry) -> str:
    parts = [
        *(entry.code, entry.id, entry.title, entry.verdict, entry.message, entry.exception),
        *(entry.pool, entry.meaning, entry.trigger),
        *(flag.name for flag in entry.flags),
        *(remedy.text for remedy in entry.remedies),
    ]
    return "\n".join(parts).lower()


def _words(entry: ErrorEntry) -> set[str]:
    return set(WORD.findall(f"{entry.code} {entry.title} {entry.message}".lower()))


CATALOG = _load()
