"""Whatever lies in a file: an account that adds up, or a TraceError."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.traces.errors import TraceError
from app.traces.options import ReadOptions
from app.traces.reader import Trace, read_trace
from tests.traces.samples import CONTENTS, write

EDIT = st.tuples(st.integers(0, 5000), st.integers(0, 40), st.binary(max_size=12))


@pytest.mark.parametrize("name", CONTENTS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(EDIT, max_size=6))
def test_damaged_files_are_accounted_or_refused(
    name: str, edits: list[tuple[int, int, bytes]], tmp_path: Path
) -> None:
    content = bytearray(CONTENTS[name].encode())
    for position, removed, added in edits:
        at = position % (len(content) + 1)
        content[at : at + removed] = added
    path = write(tmp_path, name)
    path.write_bytes(content)
    trace = _read(path)
    if isinstance(trace, TraceError):
        assert str(trace).startswith(path.name)
        return
    requests = list(trace.requests)
    info = trace.info
    assert info.rows == len(requests) + sum(info.rows_dropped.values())
    assert requests[0].arrival_ns == 0
    arrivals = [one.arrival_ns for one in requests]
    assert arrivals == sorted(arrivals)
    assert all(one.input_tokens > 0 and one.output_tokens > 0 for one in requests)
    assert all(place.startswith(path.name) for place in info.problems)


def _read(path: Path) -> Trace | TraceError:
    try:
        return read_trace(path, ReadOptions(arrivals="poisson:1"))
    except TraceError as error:
        return error
