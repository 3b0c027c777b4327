"""Incidents on disk. Every call is one transaction; all are made from one thread."""

import json
import logging
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.incidents.incident import COLUMNS, Incident
from app.incidents.schema import connect

log = logging.getLogger("poolscope.incidents")

KEEP_INCIDENTS = 1_000
KEEP_BYTES = 512 << 20
KEEP_S = 30 * 86_400.0

_JSON = ("numbers", "scalars")
_LISTED = tuple(name for name in COLUMNS if name != "scalars")


class DamagedIncident(ValueError):
    """One record cannot be read; the others can."""


class IncidentStore:
    """A SQLite file (WAL): rows of incidents and their packed windows."""

    def __init__(self, path: Path) -> None:
        """Open the file; one that is no database any more is set aside, and a new one begun.

        Raises:
            NewerFile, sqlite3.OperationalError: see `schema.connect`.
        """
        try:
            self._db = connect(path)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            aside = path.with_name(f"{path.name}.damaged-{time.time():.0f}")
            path.rename(aside)
            log.error("%s: %s; set aside as %s, a new one is begun", path, error, aside.name)
            self._db = connect(path)

    def open(self, incident: Incident, before: bytes | None) -> None:
        """Keep a new incident, with the window that led to it; the oldest go."""
        with self._transaction():
            self._insert(incident, {"before": before})
            self._retain(incident.opened_t)

    def fold(self, id_: str, last_t: float, more: int) -> None:
        """Count further events of the same storm."""
        with self._transaction():
            self._db.execute(
                "UPDATE incidents SET count = count + ?, last_t = ? WHERE id = ?",
                (more, last_t, id_),
            )

    def add_after(self, id_: str, after: bytes) -> None:
        """Keep what followed; nothing when the incident has been dropped meanwhile."""
        with self._transaction():
            self._db.execute(
                "INSERT OR REPLACE INTO windows SELECT id, 'after', ? FROM incidents WHERE id = ?",
                (after, id_),
            )

    def add_imported(self, incident: Incident, windows: dict[str, bytes | None]) -> None:
        """Keep an incident from elsewhere; the same one again replaces it."""
        with self._transaction():
            self._db.execute("DELETE FROM incidents WHERE id = ?", (incident.id,))
            self._insert(incident, windows)

    def get(self, id_: str) -> Incident | None:
        """One incident, whole.

        Raises:
            DamagedIncident: its row cannot be read.
        """
        row = self._db.execute(
            f"SELECT {', '.join(COLUMNS)} FROM incidents WHERE id = ?", (id_,)
        ).fetchone()
        return None if row is None else _incident(dict(zip(COLUMNS, row, strict=True)))

    def windows(self, id_: str) -> dict[str, bytes]:
        """Packed frames by part, `before` and `after`."""
        rows = self._db.execute("SELECT part, frames FROM windows WHERE incident = ?", (id_,))
        return dict(rows.fetchall())

    def page(
        self, limit: int, cursor: str | None, code: str | None, host: str | None
    ) -> tuple[list[Incident], int, str | None]:
        """Newest first, without scalars; how many there are in all; the next cursor.

        A row that cannot be read is listed with what is wrong as its message.
        """
        wanted, values = _where(code, host)
        (total,) = self._db.execute(f"SELECT count(*) FROM incidents{wanted}", values).fetchone()
        after = ""
        if cursor is not None:
            after = " AND " if wanted else " WHERE "
            after += "(opened_t, id) < (SELECT opened_t, id FROM incidents WHERE id = ?)"
            values = [*values, cursor]
        rows = self._db.execute(
            f"SELECT {', '.join(_LISTED)} FROM incidents{wanted}{after} "
            "ORDER BY opened_t DESC, id DESC LIMIT ?",
            (*values, limit + 1),
        ).fetchall()
        found = [_listed(dict(zip(_LISTED, row, strict=True))) for row in rows[:limit]]
        return found, total, found[-1].id if len(rows) > limit else None

    def close(self) -> None:
        """Nothing is written after this."""
        self._db.close()

    def _transaction(self) -> sqlite3.Connection:
        self._db.execute("BEGIN IMMEDIATE")
        return self._db  # commits at the end of a `with`, rolls back on an error

    def _insert(self, incident: Incident, windows: dict[str, bytes | None]) -> None:
        values = incident.as_dict()
        for name in _JSON:
            values[name] = None if values[name] is None else json.dumps(values[name])
        marks = ", ".join("?" * len(COLUMNS))
        self._db.execute(
            f"INSERT INTO incidents ({', '.join(COLUMNS)}) VALUES ({marks})",
            [values[name] for name in COLUMNS],
        )
        self._db.executemany(
            "INSERT INTO windows (incident, part, frames) VALUES (?, ?, ?)",
            [(incident.id, part, blob) for part, blob in windows.items() if blob is not None],
        )

    def _retain(self, now: float) -> None:
        # By age, by number, then by size: the newest incident always stays.
        self._db.execute("DELETE FROM incidents WHERE opened_t < ?", (now - KEEP_S,))
        self._drop(self._ids("LIMIT -1 OFFSET ?", KEEP_INCIDENTS))
        sizes = self._db.execute(
            "SELECT incident, sum(length(frames)) FROM windows JOIN incidents ON id = incident "
            "GROUP BY incident ORDER BY opened_t DESC"
        ).fetchall()
        kept = 0
        for at, (id_, size) in enumerate(sizes):
            kept += size
            if kept > KEEP_BYTES and at:
                self._drop([id_])

    def _ids(self, tail: str, *values: int) -> list[str]:
        rows = self._db.execute(
            f"SELECT id FROM incidents ORDER BY opened_t DESC, id DESC {tail}", values
        )
        return [row[0] for row in rows.fetchall()]

    def _drop(self, ids: Iterable[str]) -> None:
        self._db.executemany("DELETE FROM incidents WHERE id = ?", [(id_,) for id_ in ids])


def _where(code: str | None, host: str | None) -> tuple[str, list[Any]]:
    wanted = {"code": code, "host": host}
    used = {name: value for name, value in wanted.items() if value is not None}
    text = " AND ".join(f"{name} = ?" for name in used)
    return (f" WHERE {text}" if text else ""), list(used.values())


def _incident(row: dict[str, Any]) -> Incident:
    try:
        for name in _JSON:
            if row.get(name) is not None:
                row[name] = json.loads(row[name])
        return Incident(**{**row, "imported": bool(row["imported"])})
    except (TypeError, ValueError) as error:
        raise DamagedIncident(f"incident {row.get('id')!r} cannot be read: {error}") from error


def _listed(row: dict[str, Any]) -> Incident:
    try:
        return _incident(dict(row))
    except DamagedIncident as error:
        return Incident(**{**row, "message": str(error), "numbers": {}, "imported": False})
