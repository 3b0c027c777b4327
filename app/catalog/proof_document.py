"""What was proven of an entry, as plain data: causes, what was tried on them, how it came out."""

from typing import Any

from app.catalog.entry import ErrorEntry
from app.catalog.proofs import causes_of
from app.catalog.record import content_hash, records


def proof_of(entry: ErrorEntry) -> dict[str, Any] | None:
    """None when Poolscope cannot reproduce the error.

    `content` is the hash of what the proof is about as it is now; `version` and `proven` are of
    the last recorded run, null when there is none.
    """
    causes = causes_of(entry.code)
    if not causes:
        return None
    record = records().get(entry.code, {})
    recorded = record.get("causes", {})
    return {
        "version": record.get("version"),
        "proven": record.get("content"),
        "content": content_hash(entry),
        "causes": [
            {
                "name": cause.name,
                "title": cause.title,
                "setting": cause.setting,
                "message": recorded.get(cause.name, {}).get("message", ""),
                "offered": recorded.get(cause.name, {}).get("offered"),
                "finished": recorded.get(cause.name, {}).get("finished"),
                "tries": [
                    {"remedy": one.remedy, **tried}
                    for one in cause.tries
                    if (tried := recorded.get(cause.name, {}).get("tries", {}).get(one.remedy))
                ],
            }
            for cause in causes
        ],
    }


def tried_by_remedy(proof: dict[str, Any] | None) -> dict[str, list[dict[str, Any]]]:
    """The same turned round: for each remedy the causes that it was tried on."""
    found: dict[str, list[dict[str, Any]]] = {}
    for cause in (proof or {}).get("causes", []):
        for one in cause["tries"]:
            line = {**one, "cause": cause["name"], "title": cause["title"]}
            found.setdefault(one["remedy"], []).append(line)
    return found
