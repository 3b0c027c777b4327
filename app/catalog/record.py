"""What was last proven, by which version and of which content; written by `poolscope prove`.

The record travels with the catalog, so that a page can say it without running anything. A test
runs everything again and compares.
"""

import functools
import hashlib
import json
from pathlib import Path
from typing import Any

from app import __version__
from app.catalog.entry import ErrorEntry
from app.catalog.proofs import source_of
from app.catalog.prove import EntryResult

PATH = Path(__file__).with_name("proven.json")
HASH_DIGITS = 12

Record = dict[str, Any]


def content_hash(entry: ErrorEntry) -> str:
    """Of what a proof is about: the causes with their tries, the message, and what is advised."""
    remedies = [(one.key, one.text, one.status) for one in entry.remedies]
    content = repr((source_of(entry.code), entry.message, remedies))
    return hashlib.sha256(content.encode()).hexdigest()[:HASH_DIGITS]


@functools.cache
def records() -> dict[str, Record]:
    """The record by code; empty where nothing was ever recorded."""
    if not PATH.is_file():
        return {}
    found: dict[str, Record] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


def record_of(result: EntryResult) -> Record:
    """One error's record."""
    return {
        "version": __version__,
        "content": content_hash(result.entry),
        "causes": {
            one.cause.name: {
                "message": one.before.messages.get(result.entry.code, ""),
                "offered": one.before.offered,
                "finished": one.before.finished,
                "tries": {
                    tried.remedy: {"status": tried.outcome.status, "why": tried.outcome.why}
                    for tried in one.tries
                },
            }
            for one in result.causes
        },
    }


def write(results: list[EntryResult]) -> Path:
    """Write the records of these errors beside the others.

    Raises:
        OSError: the catalog's folder cannot be written to.
    """
    records.cache_clear()
    merged = {**records(), **{one.entry.code: record_of(one) for one in results}}
    text = json.dumps(dict(sorted(merged.items())), indent=1, ensure_ascii=False)
    PATH.write_text(text + "\n", encoding="utf-8")
    records.cache_clear()
    return PATH
