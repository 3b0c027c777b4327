"""Prefixes that real logs have."""

import pytest

from app.diagnose.stamp import read_stamp, stamp_before, stamp_of_line

PREFIXES = {
    "[2025-03-20 11:20:03 TP13] ": ("2025-03-20 11:20:03", "TP13"),
    "[2025-03-20 11:20:03 DP4 TP4] ": ("2025-03-20 11:20:03", "DP4 TP4"),
    "[2025-03-20 11:20:03 TP0 EP0] ": ("2025-03-20 11:20:03", "TP0 EP0"),
    "[2025-03-20 11:20:03 PP0 TP0] ": ("2025-03-20 11:20:03", "PP0 TP0"),
    "[2025-03-20 11:20:03] ": ("2025-03-20 11:20:03", None),
    "[TP0] ": (None, "TP0"),
    "[16:43:29 TP0] ": ("16:43:29", "TP0"),
    "2025-09-13 09:09:15 TP0] ": ("2025-09-13 09:09:15", "TP0"),
    "2025-09-13 09:09:15 ERROR 77 [ TP6 PP0 scheduler.py:2547] ": (
        "2025-09-13 09:09:15",
        "TP6 PP0",
    ),
    "/opt/x/scheduler.py:1326: UserWarning: ": (None, None),
    "": (None, None),
    "(EngineCore_DP0 pid=85) ERROR 10-25 13:08:43 [core.py:708] ": ("10-25 13:08:43", "DP0"),
    "vllm-1  | ERROR 11-18 18:07:28 engine.py:366] ": ("11-18 18:07:28", None),
    "2025-10-14T23:59:25.595130753Z (APIServer pid=1) INFO 10-14 16:59:25 ": (
        "2025-10-14 23:59:25",
        None,
    ),
    "[07/08/2025-19:47:15] [TRT-LLM] [RANK 1] [E] ": ("2025-07-08 19:47:15", "RANK 1"),
    "[2025-08-14 14:57:51,765] LMCache WARNING: ": ("2025-08-14 14:57:51", None),
    '{"log":"[2025-03-20 11:20:03 TP2] ': ("2025-03-20 11:20:03", "TP2"),
    "2026-01-01T00:00:01Z stderr F [2025-12-31 23:59:59 TP1] ": ("2025-12-31 23:59:59", "TP1"),
    "[2025-13-40 99:99:99 TP1] ": (None, "TP1"),
}


@pytest.mark.parametrize(("head", "wanted"), PREFIXES.items(), ids=PREFIXES.keys())
def test_prefix(head: str, wanted: tuple[str | None, str | None]) -> None:
    stamp = read_stamp(head)
    assert (stamp.time, stamp.rank) == wanted
    assert (stamp.at is None) == (stamp.time is None)
    line = f"{head}Decode batch"
    assert stamp_of_line(line, 0, len(head)) == stamp, "the fast way says the same"


def test_times_of_one_log_can_be_compared() -> None:
    earlier, later = read_stamp("[2025-12-31 23:59:59]"), read_stamp("[2026-01-01 00:00:04]")
    assert earlier.at is not None
    assert later.at == earlier.at + 5


def test_a_traceback_has_the_prefix_of_its_first_line() -> None:
    text = (
        "[2026-03-02 08:00:09 TP3] Scheduler hit an exception: Traceback\n  File\nRuntimeError: x"
    )
    assert stamp_before(text, text.index("RuntimeError"), 4_000).rank == "TP3"
    assert not stamp_before(text, text.index("RuntimeError"), 4)
