"""The incident file: SQLite tables, their version, and the steps from older ones."""

import sqlite3
from pathlib import Path

VERSION = 1

_STEPS: dict[int, str] = {
    1: """
    CREATE TABLE incidents (
        id TEXT PRIMARY KEY,
        host TEXT NOT NULL,
        epoch INTEGER NOT NULL,
        source TEXT NOT NULL,
        opened_t REAL NOT NULL,
        last_t REAL NOT NULL,
        sim_t REAL NOT NULL,
        level TEXT NOT NULL,
        event TEXT NOT NULL,
        code TEXT,
        pool TEXT,
        message TEXT NOT NULL,
        numbers TEXT NOT NULL,
        count INTEGER NOT NULL,
        scalars TEXT,
        imported INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX incidents_by_time ON incidents (opened_t DESC, id DESC);
    CREATE TABLE windows (
        incident TEXT NOT NULL REFERENCES incidents (id) ON DELETE CASCADE,
        part TEXT NOT NULL CHECK (part IN ('before', 'after')),
        frames BLOB NOT NULL,
        PRIMARY KEY (incident, part)
    ) STRICT;
    """,
}


class NewerFile(RuntimeError):
    """The file was written by a later version, and is left alone."""


def connect(path: Path) -> sqlite3.Connection:
    """Open (or make) the file, bring it to this version.

    Raises:
        NewerFile: its version is above ours.
        sqlite3.DatabaseError: it is no such file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
    try:
        # NORMAL: a commit outlives the process at any moment; only a power cut can undo the last.
        connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;")
        connection.execute("PRAGMA foreign_keys=ON")
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise NewerFile(
                f"{path} has version {version}, this program knows {VERSION}: use a newer "
                "poolscope, or another --data-dir"
            )
        for step in range(version + 1, VERSION + 1):
            connection.executescript(
                f"BEGIN IMMEDIATE; {_STEPS[step]} PRAGMA user_version={step}; COMMIT;"
            )
    except BaseException:
        connection.close()
        raise
    return connection
