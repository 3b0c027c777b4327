"""Requests as an SGLang server exports them: `--export-metrics-to-file`, JSON Lines.

Each finished request is one object: `request_parameters` (a JSON string) and the answer's
`meta_info` beside it: `prompt_tokens`, `completion_tokens`, `cached_tokens`, `request_received_ts`
(seconds since 1970), `e2e_latency` (s), `image_tokens`, ... Health checks are not written.

Mirrors: sglang 0.5.23 observability/request_metrics_exporter.py
"""

from collections.abc import Iterator
from typing import BinaryIO

from app.traces.errors import RowProblem
from app.traces.format import Format, Row
from app.traces.json_rows import has_keys, json_object, json_time, json_tokens
from app.traces.lines import parsed_lines

FIELDS = ("request_parameters", "prompt_tokens", "completion_tokens")


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Every line of the file as a row or as what is wrong with it."""
    return parsed_lines(file, parse)


def parse(line: bytes) -> Row:
    """One line.

    Raises:
        RowProblem: naming the key and its value.
    """
    row = json_object(line, FIELDS[1:])
    if row.get("request_received_ts") is not None:
        arrived = json_time(row, "request_received_ts")
    else:
        arrived = json_time(row, "request_finished_ts") - json_time(row, "e2e_latency")
    return Row(
        arrived,
        json_tokens(row, "prompt_tokens", "input"),
        json_tokens(row, "completion_tokens", "output"),
    )


FORMAT = Format(
    name="sglang-metrics",
    accepts="SGLang request metrics (--export-metrics-to-file), JSON Lines",
    time_unit="s",
    block_size=None,
    sniff=lambda head: has_keys(head, FIELDS),
    rows=rows,
    tried=False,
)
