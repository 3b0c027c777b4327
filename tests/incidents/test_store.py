"""Incidents on disk: kept over a restart, folded, dropped by age and size, damaged one by one."""

import sqlite3
from pathlib import Path

import pytest

from app.incidents import store as store_module
from app.incidents.schema import VERSION, NewerFile
from app.incidents.store import DamagedIncident, IncidentStore
from tests.incidents.incidents import incident


def test_incident_outlives_the_store(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "incidents.sqlite"
    first = IncidentStore(path)
    first.open(incident(), b"before")
    first.fold(incident().id, 1010.0, 3)
    first.add_after(incident().id, b"after")
    first.close()
    again = IncidentStore(path)
    found = again.get(incident().id)
    assert found == incident(count=4, last_t=1010.0)
    assert again.windows(incident().id) == {"before": b"before", "after": b"after"}
    again.close()


def test_pages_go_newest_first_and_miss_none(tmp_path: Path) -> None:
    store = IncidentStore(tmp_path / "i.sqlite")
    for at in range(7):
        store.open(incident(id=f"id-{at}", opened_t=1000.0 + at // 2), None)
    seen: list[str] = []
    cursor = None
    while True:
        found, total, cursor = store.page(3, cursor, None, None)
        assert total == 7
        seen += [one.id for one in found]
        if cursor is None:
            break
    assert seen == [f"id-{at}" for at in reversed(range(7))]
    assert store.page(10, None, "nothing", None) == ([], 0, None)
    store.close()


def test_oldest_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_module, "KEEP_INCIDENTS", 5)
    monkeypatch.setattr(store_module, "KEEP_BYTES", 1000)
    store = IncidentStore(tmp_path / "i.sqlite")
    for at in range(8):
        store.open(incident(id=f"id-{at}", opened_t=1000.0 + at), b"x" * 300)
    assert [one.id for one in store.page(10, None, None, None)[0]] == ["id-7", "id-6", "id-5"]
    assert store.windows("id-0") == {}
    store.open(incident(id="late", opened_t=1000.0 + store_module.KEEP_S + 100), b"x" * 5000)
    assert [one.id for one in store.page(10, None, None, None)[0]] == ["late"]
    store.close()


def test_damaged_record_loses_that_record_only(tmp_path: Path) -> None:
    path = tmp_path / "i.sqlite"
    store = IncidentStore(path)
    store.open(incident(id="good"), None)
    store.open(incident(id="bad"), None)
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE incidents SET numbers = '{broken' WHERE id = 'bad'")
    raw.close()
    with pytest.raises(DamagedIncident, match="bad"):
        store.get("bad")
    assert store.get("good") is not None
    listed = {one.id: one.message for one in store.page(10, None, None, None)[0]}
    assert "cannot be read" in listed["bad"]
    assert listed["good"] == "Decode out of memory."
    store.close()


def test_file_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "i.sqlite"
    IncidentStore(path).close()
    raw = sqlite3.connect(path)
    raw.execute(f"PRAGMA user_version={VERSION + 1}")
    raw.close()
    with pytest.raises(NewerFile, match="newer poolscope"):
        IncidentStore(path)


def test_file_that_is_no_database_is_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "i.sqlite"
    path.write_bytes(b"not a database, but long enough to be taken for one" * 100)
    store = IncidentStore(path)
    store.open(incident(), None)
    assert [p.name for p in tmp_path.glob("*.damaged-*")]
    assert store.get(incident().id) is not None
    store.close()
