"""Nothing is shown before it is kept; storms are one incident; the seconds around it are there."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from app.incidents import keeper as keeper_module
from app.incidents.store import IncidentStore
from app.incidents.window import messages, unpack
from app.wire.frame import decode
from tests.incidents.incidents import keeping


async def test_event_is_committed_before_it_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "i.sqlite"
    async with keeping(path) as kept:
        kept.ingest.take(kept.host.event("boom", "kv-decode-oom"))
        assert kept.events == [], "not shown before it is kept"
        (shown,) = await kept.until_shown(1)
        # another connection sees only what is committed
        with sqlite3.connect(path) as other:
            rows = other.execute("SELECT id, message, count FROM incidents").fetchall()
        other.close()
    assert rows == [(shown["incident"], "boom", 1)]


async def test_window_before_holds_the_whole_state(tmp_path: Path) -> None:
    async with keeping(tmp_path / "i.sqlite") as kept:
        kept.ingest.take(kept.host.change([1, 2], 1))
        kept.ingest.take(kept.host.event("boom"))
        (shown,) = await kept.until_shown(1)
        blob = kept.keeper.store.windows(shown["incident"])["before"]
    kinds = [decode(message)[0]["kind"] for message in messages(unpack(blob))]
    assert kinds[0] == "hello"
    assert "keyframe" in kinds
    assert kinds[-1] in ("delta", "keyframe", "scalars")


async def test_storm_is_one_incident_with_a_count(tmp_path: Path) -> None:
    async with keeping(tmp_path / "i.sqlite") as kept:
        for at in range(500):
            kept.ingest.take(kept.host.event(f"boom {at}", "kv-decode-oom"))
        kept.ingest.take(kept.host.event("other", "kv-prefill-oom"))
        shown = await kept.until_shown(501)
        found, total, _ = kept.keeper.store.page(10, None, None, None)
    assert total == 2
    assert {one.code: one.count for one in found} == {"kv-decode-oom": 500, "kv-prefill-oom": 1}
    assert [e["message"] for e in shown[:500]] == [f"boom {at}" for at in range(500)]


async def test_order_is_kept_between_incidents_and_marks(tmp_path: Path) -> None:
    async with keeping(tmp_path / "i.sqlite") as kept:
        first, mark = kept.host.event("first"), kept.host.event("mark")
        mark = mark.replace(b'"level":"error"', b'"level":"info" ')
        for message in (first, mark, kept.host.event("last", "x")):
            kept.ingest.take(message)
        shown = await kept.until_shown(3)
    assert [event["message"] for event in shown] == ["first", "mark", "last"]


async def test_what_followed_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper_module, "AFTER_S", 0.1)
    async with keeping(tmp_path / "i.sqlite") as kept:
        kept.ingest.take(kept.host.event("boom"))
        (shown,) = await kept.until_shown(1)
        kept.ingest.take(kept.host.change([9], 1))
        async with asyncio.timeout(5):
            while "after" not in kept.keeper.store.windows(shown["incident"]):
                await asyncio.sleep(0.02)
        blob = kept.keeper.store.windows(shown["incident"])["after"]
    assert "delta" in [decode(message)[0]["kind"] for message in messages(unpack(blob))]


async def test_event_is_shown_when_it_cannot_be_kept_and_the_reason_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping(tmp_path / "i.sqlite") as kept:

        def full(*_: object) -> None:
            raise sqlite3.OperationalError("database or disk is full")

        monkeypatch.setattr(kept.keeper.store, "open", full)
        kept.ingest.take(kept.host.event("boom"))
        await kept.until_shown(1)
        assert "disk is full" in kept.keeper.problem
        monkeypatch.undo()
        kept.ingest.take(kept.host.event("boom"))
        await kept.until_shown(2)
        assert kept.keeper.problem == ""
        assert kept.keeper.store.page(10, None, None, None)[1] == 1


async def test_close_writes_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "i.sqlite"
    async with keeping(path) as kept:
        for at in range(5):
            kept.ingest.take(kept.host.event(f"boom {at}", f"code-{at}"))
    store = IncidentStore(path)
    assert store.page(10, None, None, None)[1] == 5
    store.close()
