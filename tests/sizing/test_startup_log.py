"""The one number of a log that pins a size."""

from pathlib import Path

import pytest

from app.sizing.startup_log import measured_tokens

LINE = "[2031-01-01 00:00:00 TP0] max_total_num_tokens=431217, chunked_prefill_size=8192"


@pytest.mark.parametrize("given", ["431217", " 431217 ", LINE, "max_total_num_tokens: 431217"])
def test_a_number_or_a_line_will_do(given: str) -> None:
    assert measured_tokens(given) == 431_217


def test_a_log_file_is_searched(tmp_path: Path) -> None:
    path = tmp_path / "server.log"
    path.write_bytes(b"loading \xff\n" * 1000 + LINE.encode() + b"\nmax_total_num_tokens=5\n")
    assert measured_tokens(str(path)) == 431_217


@pytest.mark.parametrize("given", ["", "0", "tokens=5", "max_total_num_tokens=", "missing.log"])
def test_what_has_no_number_is_refused_with_what_to_look_for(given: str) -> None:
    with pytest.raises(ValueError, match="max_total_num_tokens=N"):
        measured_tokens(given)
