"""Agent sessions: sub-agents, ids of each session, starts of several, copies."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.traces.errors import TraceError
from app.traces.format import SESSION_ID_BITS
from app.traces.formats import agent_sessions
from app.traces.options import ReadOptions
from app.traces.reader import read_trace
from tests.traces.samples import session, subagent, turn


def write(path: Path, *sessions: Any, indent: int | None = None) -> Path:
    path.write_text("".join(f"{json.dumps(one, indent=indent)}\n" for one in sessions))
    return path


def test_one_session_replays_as_it_was(tmp_path: Path) -> None:
    turns = [turn(0.0, 130), turn(13.0, 260), turn(77_589.0, 300)]
    trace = read_trace(write(tmp_path / "s.json", session(turns)))
    assert [one.arrival_ns // 10**9 for one in trace] == [0, 13, 77_589]
    assert [one.hash_ids for one in trace] == [(1, 2), (1, 2, 3, 4), (1, 2, 3, 4)]
    info = trace.info
    assert (info.time_unit, info.block_size, info.rounding) == ("s", 64, "floor")
    assert (info.hash_scope, info.hash_ids) == ("session", "chained")
    assert info.sharing is not None
    assert info.sharing.blocks_frac == pytest.approx(6 / 10)


def test_a_pretty_printed_document_is_the_same(tmp_path: Path) -> None:
    one = session([turn(0.0, 130), turn(13.0, 260)])
    plain = read_trace(write(tmp_path / "a.json", one))
    assert list(read_trace(write(tmp_path / "b.json", one, indent=2))) == list(plain)


def test_turns_of_a_subagent_count_from_its_start_and_share_its_parents_ids(
    tmp_path: Path,
) -> None:
    turns = [turn(0.0, 130), subagent(5.0, [turn(0.0, 64), turn(4.0, 128)]), turn(7.0, 260)]
    trace = read_trace(write(tmp_path / "s.json", session(turns)))
    assert [one.arrival_ns // 10**9 for one in trace] == [0, 5, 7, 9]
    assert [one.input_tokens for one in trace] == [130, 64, 260, 128]
    assert trace.info.rows == 4
    assert any("out of order" in note for note in trace.info.notes)


def test_several_sessions_need_to_be_told_how_they_start(tmp_path: Path) -> None:
    turns = [turn(3.0, 130), turn(16.0, 260)]
    path = write(tmp_path / "s.jsonl", session(turns), session([turn(0.0, 200)]), session(turns))
    with pytest.raises(TraceError, match="3 sessions that share no clock"):
        read_trace(path)
    trace = read_trace(path, ReadOptions(arrivals="poisson:0.1"))
    requests = list(trace)
    assert (trace.info.sessions, trace.info.arrivals) == (3, "drawn-starts")
    by_session: dict[int, list[int]] = {}
    for one in requests:
        assert one.hash_ids is not None
        by_session.setdefault(one.hash_ids[0] >> SESSION_ID_BITS, []).append(one.arrival_ns)
    assert by_session.keys() == {0, 1, 2}
    assert by_session[0][1] - by_session[0][0] == 13 * 10**9
    assert any("1 of 3 sessions repeat an earlier one exactly" in n for n in trace.info.notes)


def test_ids_are_shared_over_sessions_only_when_asked(tmp_path: Path) -> None:
    path = write(tmp_path / "s.jsonl", session([turn(0.0, 640)]), session([turn(0.0, 640)]))
    shares = {}
    for scope in ("session", "file"):
        options = ReadOptions(arrivals="poisson:1", hash_scope=scope)
        info = read_trace(path, options).info
        assert info.sharing is not None
        shares[scope] = info.sharing.blocks_frac
    assert shares == {"session": 0.0, "file": 0.5}


def test_optional_fields_come_and_go(tmp_path: Path) -> None:
    turns = [
        turn(0.0, 130, api_time=8.79, think_time=0.0, stop=""),
        turn(1.0, 130, ttft=2.0) | {"type": "s"},
        turn(2.0, 130, model=None),
    ]
    assert read_trace(write(tmp_path / "s.json", session(turns))).info.rows_dropped == {}


def test_a_wrong_turn_is_named_by_its_number(tmp_path: Path) -> None:
    wrong = [turn(0.0, 130) | {"in": None}, "x", turn(0.0, 130, out=0)]
    turns = [turn(float(t), 130) for t in range(6)]
    turns[2:2] = wrong
    info = read_trace(write(tmp_path / "s.json", session(turns))).info
    assert info.rows_dropped == {"not-an-object": 1, "wrong-type": 1, "zero-output-tokens": 1}
    assert info.problems[0] == "s.json request 3: in: None is not a whole number"


def test_its_own_block_size_and_scope_are_taken(tmp_path: Path) -> None:
    ids = [turn(float(n), 48 * 7) | {"hash_ids": list(range(7))} for n in range(3)]
    one = session(ids, block_size=48, hash_id_scope="global")
    info = read_trace(write(tmp_path / "s.json", one)).info
    assert (info.block_size, info.hash_scope) == (48, "file")


def test_depth_and_size_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nested = subagent(0.0, [turn(0.0, 130)])
    for _ in range(agent_sessions.MAX_DEPTH + 1):
        nested = subagent(0.0, [nested])
    path = write(tmp_path / "s.json", session([turn(0.0, 130), turn(1.0, 130), nested]))
    assert read_trace(path).info.rows_dropped == {"not-a-session": 1}
    monkeypatch.setattr(agent_sessions, "MAX_DOCUMENT_BYTES", 600)
    with pytest.raises(TraceError, match="session-too-long"):
        read_trace(write(path, session([turn(0.0, 6400)]), indent=2))
