"""The benchmark's log has its size, and its crash is found in it."""

from pathlib import Path

from app.diagnose.diagnose import diagnose_file
from benchmarks.sample_log import RANKS, write_log


def test_log_of_a_given_size_ends_in_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    size = write_log(path, 1_000_000)
    assert size == path.stat().st_size
    assert 0.98e6 < size < 1.02e6
    found = diagnose_file(path)
    assert found.event is not None
    assert found.event.code == "kv-prefill-oom"
    assert len(found.event.ranks) == RANKS
    assert found.log.usage.count > 3_000
