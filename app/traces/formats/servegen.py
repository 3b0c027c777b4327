"""ServeGen's client tables, made into requests.

`chunk-N-trace.csv` has no header: start of a 600-second window, request rate, variation of the
gaps, their distribution (Gamma, Weibull or empty), its shape and scale. `chunk-N-dataset.json`
beside it has the lengths' distributions for every six hours. A workload of ServeGen is the sum of
its clients; one file is one client. Published with "ServeGen".
"""

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from app.traces.errors import RowProblem, TraceError
from app.traces.fields import MAX_IMAGES, MAX_TOKENS
from app.traces.format import Format, Row
from app.traces.lines import UTF8_BOM
from app.traces.options import ReadOptions, window_s
from app.traces.rate_tables import WINDOW_S, LengthTables, Window, parse_window

DEFAULT_SPAN_S = 3600.0
#: patches of 14 × 14 pixels × 3 colours × 2 frames in bf16, four of them a token
IMAGE_BYTES_PER_TOKEN = 4 * 14 * 14 * 3 * 2 * 2
RATES, LENGTHS = "-trace.csv", "-dataset.json"


def sniff(head: bytes) -> bool:
    """The first line is a window."""
    line = head.removeprefix(UTF8_BOM).split(b"\n", 1)[0].strip()
    try:
        return line.count(b",") == 5 and parse_window(line) is not None
    except RowProblem:
        return False


def rows(file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
    """Never called: a client's rates become requests only with its lengths, in `bind`."""
    raise NotImplementedError


class Client:
    """One client's requests within a span of its tables."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        name = path.name.removesuffix(".gz").removesuffix(".zst")
        if not name.endswith(RATES):
            raise TraceError(
                path,
                f"a table of rates whose name does not end in {RATES}",
                f"keep the name, so that the lengths are found in the file that ends in {LENGTHS}",
            )
        self.path, self._seed = path, options.seed
        self._lengths = LengthTables(path.with_name(name.removesuffix(RATES) + LENGTHS))
        self.has_images = self._lengths.names("image_tokens")
        self._span = window_s(options.window)

    def rows(self, file: BinaryIO) -> Iterator[tuple[int, Row | RowProblem]]:
        """Requests of the span, numbered from 1; wrong windows among them.

        Raises:
            TraceError: no request in it.
        """
        rng, span, number, carry = np.random.default_rng(self._seed), self._span, 0, 0.0
        for line in file:
            if not line.strip():
                continue
            try:
                window = parse_window(line.removeprefix(UTF8_BOM).strip())
            except RowProblem as problem:
                number += 1
                yield number, problem
                continue
            if span is None and window.rate > 0:
                span = (window.start_s, window.start_s + DEFAULT_SPAN_S)
            if span is None or window.start_s + WINDOW_S <= span[0] or window.rate == 0:
                continue
            if window.start_s >= span[1]:
                break
            carry += window.rate * WINDOW_S
            count = int(carry + 1e-6)
            carry -= count
            for row in self._requests(window, count, span, rng):
                number += 1
                yield number, row
        if not number:
            asked = f"between {span[0]:g} and {span[1]:g} s" if span else "in the whole table"
            raise TraceError(self.path, f"no request {asked}", "give another --window START:END")

    def _requests(
        self, window: Window, count: int, span: tuple[float, float], rng: np.random.Generator
    ) -> Iterator[Row | RowProblem]:
        fields = self._lengths.fields(window.start_s)
        if not {"output_tokens"} < fields or not fields & {"input_tokens", "text_tokens"}:
            words = f"no lengths for the {count:,} requests from {window.start_s:g} s"
            yield from (RowProblem("no-lengths", "row", words) for _ in range(count))
            return
        times = window.arrivals_s(count, rng)
        outputs = self._lengths.draw(window.start_s, "output_tokens", count, rng)
        inputs, images = self._prompts(window.start_s, count, fields, rng)
        for time, prompt, answer, sizes in zip(
            times.tolist(), inputs.tolist(), outputs.tolist(), images, strict=True
        ):
            if not span[0] <= time < span[1]:
                continue
            if not (0 < prompt <= MAX_TOKENS and 0 < answer <= MAX_TOKENS):
                yield RowProblem("zero-tokens", "row", f"{prompt:,} in, {answer:,} out")
            else:
                yield Row(time, prompt, answer, image_bytes=sizes)

    def _prompts(
        self, t_s: float, count: int, fields: set[str], rng: np.random.Generator
    ) -> tuple[NDArray[np.int64], list[tuple[int, ...]]]:
        """Prompt lengths, and the features' bytes of each prompt's images."""
        if "input_tokens" in fields:
            return self._lengths.draw(t_s, "input_tokens", count, rng), [()] * count
        inputs = self._lengths.draw(t_s, "text_tokens", count, rng)
        if not {"image_tokens", "image_count"} <= fields:
            return inputs, [()] * count
        counts = np.clip(self._lengths.draw(t_s, "image_count", count, rng), 0, MAX_IMAGES)
        tokens = self._lengths.draw(t_s, "image_tokens", int(counts.sum()), rng)
        ends = np.cumsum(counts)
        parts = [tokens[end - n : end] for end, n in zip(ends, counts, strict=True)]
        inputs = inputs + np.array([int(part.sum()) for part in parts], np.int64)
        sizes = [tuple((part[part > 0] * IMAGE_BYTES_PER_TOKEN).tolist()) for part in parts]
        return inputs, sizes


def _bind(path: Path, options: ReadOptions, head: bytes) -> Format:
    del head
    client = Client(path, options)
    chosen = f"window {options.window} s" if options.window else "the first hour that is not idle"
    remarks: tuple[str, ...] = (
        f"requests are made from a client's tables, {chosen}, seed {options.seed}: the rate of "
        "every ten minutes is kept, gaps have the fitted shape, prompt and output lengths are "
        "drawn independently of each other",
    )
    if client.has_images:
        remarks += (
            f"image features are taken as {IMAGE_BYTES_PER_TOKEN:,} bytes a token, an estimate",
        )
    return dataclasses.replace(FORMAT, rows=client.rows, remarks=remarks)


FORMAT = Format(
    name="servegen",
    accepts=f"ServeGen tables of one client (chunk-N{RATES} with chunk-N{LENGTHS} beside it)",
    time_unit="s",
    block_size=None,
    sniff=sniff,
    rows=rows,
    counted="request",
    has_rates=True,
    bind=_bind,
)
