"""What holds for every format: told from its content by one alone, accounted, packed or not."""

import gzip
from pathlib import Path

import pytest
import zstandard

from app.traces.check import check_overrides
from app.traces.errors import TraceError
from app.traces.options import ReadOptions
from app.traces.reader import Trace, read_trace
from app.traces.recognise import all_formats, recognise
from tests.traces.samples import CONTENTS, write

UNTRIED = {
    *("azure2024", "azure-multimodal", "bailian"),
    *("sglang-metrics", "sglang-request-log", "sglang-server-log"),
}
WITH_PREFIXES = {"mooncake", "bailian", "agent-sessions", "lmcache"}


def read(path: Path, name: str) -> Trace:
    needs_arrivals = all_formats()[name].time_unit == "none"
    return read_trace(path, ReadOptions(arrivals="poisson:2" if needs_arrivals else None))


def test_there_is_a_sample_of_every_format() -> None:
    assert CONTENTS.keys() == all_formats().keys()


@pytest.mark.parametrize("name", CONTENTS)
def test_one_format_alone_takes_a_file(name: str) -> None:
    head = CONTENTS[name].encode()
    assert [other for other, one in all_formats().items() if one.sniff(head)] == [name]


@pytest.mark.parametrize("name", CONTENTS)
def test_every_row_is_accounted_and_in_order_of_time(name: str, tmp_path: Path) -> None:
    trace = read(write(tmp_path, name), name)
    requests = list(trace)
    info = trace.info
    assert info.format == name
    assert info.rows == len(requests) + sum(info.rows_dropped.values())
    assert info.rows_dropped == {}
    assert requests[0].arrival_ns == 0
    assert [one.arrival_ns for one in requests] == sorted(one.arrival_ns for one in requests)
    assert info.input_tokens.total == sum(one.input_tokens for one in requests)
    assert list(trace) == requests


@pytest.mark.parametrize("name", CONTENTS)
def test_only_formats_with_ids_speak_of_prefixes(name: str, tmp_path: Path) -> None:
    info = read(write(tmp_path, name), name).info
    assert info.has_prefix_info == (name in WITH_PREFIXES)
    assert (info.sharing is None) == (name not in WITH_PREFIXES)
    assert any("no prefix information" in note for note in info.notes) == (
        name not in WITH_PREFIXES
    )


@pytest.mark.parametrize("name", CONTENTS)
def test_formats_that_no_published_file_was_tried_with_say_so(name: str, tmp_path: Path) -> None:
    notes = read(write(tmp_path, name), name).info.notes
    assert any("no published file was tried" in note for note in notes) == (name in UNTRIED)


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("kind", ["gzip", "Zstandard"])
def test_packed_files_give_the_same_requests(name: str, kind: str, tmp_path: Path) -> None:
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.mkdir()
    packed.mkdir()
    pack = gzip.compress if kind == "gzip" else zstandard.ZstdCompressor().compress
    trace = read(write(packed, name, pack), name)
    assert list(trace) == list(read(write(plain, name), name))
    assert trace.info.compression == kind


@pytest.mark.parametrize("kind", ["gzip", "Zstandard"])
def test_packed_data_that_is_cut_short_is_named(kind: str, tmp_path: Path) -> None:
    content = CONTENTS["azure2023"].encode() * 400
    pack = gzip.compress if kind == "gzip" else zstandard.ZstdCompressor().compress
    packed = pack(content)
    path = tmp_path / "t"
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(TraceError, match=f"{kind} data is cut short or damaged"):
        read_trace(path)


def test_frames_behind_one_another_are_one_file(tmp_path: Path) -> None:
    lines = CONTENTS["mooncake"].encode().splitlines(keepends=True)
    pack = zstandard.ZstdCompressor().compress
    path = tmp_path / "t.zst"
    path.write_bytes(pack(b"".join(lines[:9])) + pack(b"".join(lines[9:])))
    assert read_trace(path).info.rows == len(lines)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("timestamp,prompt_throughput,generation_throughput,num_running,x\n", "log of a server's"),
        ("t,prompt_throughput,gen_throughput,running,waiting,kv\n", "name the requests.jsonl"),
        ('{"0": {"input_tokens": "{5: 1.0}"}}', "name the chunk-N-trace.csv"),
        ("[x] Prefill batch. #new-seq: 1, #new-token: 9\n", "--log-requests"),
    ],
)
def test_files_beside_a_trace_say_where_it_is(content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "given"
    path.write_text(content)
    with pytest.raises(TraceError, match=said):
        recognise(path)


WITH_BLOCKS = ("block_size", "rounding", "hash_scope")


@pytest.mark.parametrize("name", CONTENTS)
@pytest.mark.parametrize("option", ["time_unit", *WITH_BLOCKS, "window", "spread_ticks"])
def test_an_option_that_contradicts_the_format_is_refused_by_name(
    name: str, option: str, tmp_path: Path
) -> None:
    values = {"time_unit": "s", "block_size": 64, "rounding": "floor", "hash_scope": "session"}
    values |= {"window": "0:600", "spread_ticks": True}
    one = all_formats()[name]
    refused = {
        "time_unit": one.time_unit in ("datetime", "none"),
        "block_size": one.block_size is None,
        "rounding": one.block_size is None,
        "hash_scope": one.hash_scope == "file",
        "window": name != "servegen",
        "spread_ticks": one.time_unit == "none",
    }[option]
    arrivals = "poisson:1" if one.time_unit == "none" else None
    options = ReadOptions(**{option: values[option]}, arrivals=arrivals)  # type: ignore[arg-type]
    path = write(tmp_path, name)
    if refused:
        with pytest.raises(TraceError, match=f"leave {option} out"):
            check_overrides(path, recognise(path), options)
    else:
        check_overrides(path, recognise(path), options)
