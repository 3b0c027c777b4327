"""Files that are no trace get a word about what they are."""

import gzip
import pickle
from pathlib import Path

import pytest

from app.traces.errors import TraceError
from app.traces.recognise import all_formats, recognise
from tests.traces.files import SAMPLES, mooncake_row, write_mooncake

LFS_POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n"


def test_the_format_is_told_from_the_content_not_the_name(tmp_path: Path) -> None:
    path = write_mooncake(tmp_path / "trace.csv", [mooncake_row()])
    assert recognise(path).name == "mooncake"
    assert recognise(SAMPLES / "azure2023_small.csv").name == "azure2023"


def test_a_byte_order_mark_is_no_obstacle(tmp_path: Path) -> None:
    path = tmp_path / "bom.csv"
    path.write_bytes(b"\xef\xbb\xbf" + (SAMPLES / "azure2023_small.csv").read_bytes())
    assert recognise(path).name == "azure2023"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "empty"),
        (b" \r\n\n", "empty"),
        (LFS_POINTER.encode(), "Git LFS pointer"),
        (gzip.compress(b"x"), "it begins with x"),
        (pickle.dumps({"rows": []}), "pickle"),
        (b"PAR1\x15\x04", "Parquet"),
        (b"\x00\x01\x02\x03" * 9, "no text file"),
        ("a,b\n".encode("utf-16"), "UTF-16"),
        (b"a,b,c\n1,2,3\n", "it begins with a,b,c"),
        (b'{"timestamp": 1, "prompt": "x"}\n', "JSON with the keys timestamp, prompt"),
        (b"\x1b[2Jevil " + b"text " * 50, "it begins with \N{REPLACEMENT CHARACTER}[2Jevil"),
    ],
)
def test_other_content_is_named_with_what_is_accepted(
    content: bytes, problem: str, tmp_path: Path
) -> None:
    path = tmp_path / "given"
    path.write_bytes(content)
    with pytest.raises(TraceError) as caught:
        recognise(path)
    assert problem in caught.value.problem
    for one in all_formats().values():
        assert one.accepts in caught.value.remedy


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"nowhere\.csv: cannot be read: No such file"):
        recognise(tmp_path / "nowhere.csv")
    with pytest.raises(TraceError, match="not a file"):
        recognise(tmp_path)


def test_every_format_says_what_it_needs_to() -> None:
    assert {"mooncake", "azure2023"} <= all_formats().keys()
    for name, one in all_formats().items():
        assert one.name == name
        assert one.accepts
        assert one.time_unit in {"ns", "us", "ms", "s", "datetime", "none"}
