"""From blocks of text to a `Log`: one automaton says what a block holds, then only that is read."""

import bisect
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from app.catalog.match import anchors, hits
from app.catalog.scan import LiteralSet
from app.diagnose import batch, signs, startup, version
from app.diagnose.balance import numbers_of, read_balances
from app.diagnose.fold import Sighting
from app.diagnose.log import Log
from app.diagnose.mask import shown
from app.diagnose.signs import SIGNS, Sign
from app.diagnose.source import BEHIND, Block, LogSource
from app.diagnose.stamp import HEAD, line_end, line_start, read_stamp, stamp_before

#: characters from an occurrence in which its further figures stand
EXCERPT = 1_600
#: occurrences of one literal that are read in one block
MAX_PER_BLOCK = 2_000
#: lines below a message's first that are kept to be shown
MAX_BELOW = 4
#: lines below the scheduler's head that belong to its traceback
TRACEBACK_LINES = 120


def read_log(source: LogSource) -> Log:
    """Read a whole log; memory does not grow with its size.

    Raises:
        LogError: more text than the source allows.
    """
    log = Log()
    for block in source.blocks():
        _Reader(log, block).read()
    log.lines, log.chars, log.encoding = source.lines, source.chars, source.encoding
    log.notes = [*source.notes]
    if source.is_binary:
        log.notes.append("much of the file is not text: is it a log?")
    return log


@cache
def _scanner() -> LiteralSet:
    marks = [mark for engine in signs.ENGINES.values() for mark in engine]
    marks += [anchor for sign in SIGNS for anchor in sign.anchors]
    marks += [one.words for one in version.WORDINGS]
    return LiteralSet(
        [
            *(*anchors(), *marks, *batch.ANCHORS, *startup.ANCHORS, *version.SAID_ANCHORS),
            *(*signs.DEATH_HEADS, *signs.EXCEPTION_ANCHORS),
        ]
    )


class _Reader:
    """One block."""

    def __init__(self, log: Log, block: Block) -> None:
        self.log, self.block, self.text = log, block, block.text
        self.present = _scanner().within(block.text)
        self._breaks: list[int] | None = None

    def read(self) -> None:
        """Everything in the block, in order, so that each event knows the batch line before it."""
        if not self.present:
            return
        self._read_startup()
        self._read_marks()
        found = sorted(self._found(), key=lambda item: item[0])
        readings = self._readings()
        reading = next(readings, None)
        for start, end, what in found:
            while reading is not None and reading[0] < start:
                self.log.usage.add(reading[1])
                reading = next(readings, None)
            self._take(start, end, what)
        while reading is not None:
            self.log.usage.add(reading[1])
            reading = next(readings, None)
        self._read_strangers({self._line_of(start) for start, _, _ in found})
        self._note_times()

    def _found(self) -> Iterator[tuple[int, int, Sign | Sighting]]:
        covered: set[int] = set()
        for hit in hits(self.text, self.present):
            covered.add(line_start(self.text, hit.start))
            if self._is_own(hit.start):
                code = hit.entry.code
                yield (
                    hit.start,
                    hit.end,
                    self._sighting(hit.start, code, code, hit.numbers, hit.wording),
                )
        for sign in SIGNS:
            for anchor in sign.anchors:
                for at in self._places(anchor):
                    if line_start(self.text, at) not in covered:
                        yield at, at + len(anchor), sign

    def _take(self, start: int, end: int, what: Sign | Sighting) -> None:
        if isinstance(what, Sign):
            excerpt = self.text[start : start + EXCERPT]
            numbers: dict[str, int | float | str] = {}
            if what.pattern is not None:
                found = what.pattern.search(self.text[line_start(self.text, start) : end + 600])
                if found is None and what.strict:
                    return
                numbers = _numbers(found.groupdict() if found else {})
            what = self._sighting(start, what.name, None, numbers, 0, excerpt)
        rank = what.stamp.rank
        reading = self.log.usage.of(rank)
        self.log.events.add(_with(what, self._line_of(start), reading))

    def _sighting(
        self,
        start: int,
        name: str,
        code: str | None,
        numbers: dict[str, int | float | str],
        wording: int,
        excerpt: str = "",
    ) -> Sighting:
        excerpt = excerpt or self.text[start : start + EXCERPT]
        leak = "leak" in name or name == "pool-dump"
        balances = read_balances(excerpt) if leak else ()
        begin = line_start(self.text, start)
        begin = max(begin, start - 200)
        return Sighting(
            name,
            code,
            {**numbers, **numbers_of(balances)},
            0,
            stamp_before(self.text, start, BEHIND),
            shown(self.text[begin : min(line_end(self.text, start), start + 1_200)]),
            wording,
            self._below(start) if code else (),
            balances,
        )

    def _below(self, start: int) -> tuple[str, ...]:
        """The rest of a message of several lines: what has no prefix of its own."""
        lines: list[str] = []
        at = line_end(self.text, start) + 1
        while len(lines) < MAX_BELOW and at < len(self.text):
            end = line_end(self.text, at)
            line = self.text[at : min(end, at + 1_200)].strip()
            if not line or line.startswith(("Traceback", "File ")) or read_stamp(line[:HEAD]):
                break
            lines.append(shown(line))
            at = end + 1
        return tuple(lines)

    def _readings(self) -> Iterator[tuple[int, batch.Reading]]:
        if not self.present.isdisjoint(batch.ANCHORS[:3]):
            yield from batch.readings(self.text, self.block.start, self.block.stop)
        if batch.ANCHORS[3] in self.present:
            yield from batch.engine_readings(self.text, self.block.start, self.block.stop)

    def _read_startup(self) -> None:
        if self.log.events.items and self.log.deaths:
            return  # a restart after the failure must not replace what it failed with
        for anchor in startup.ANCHORS:
            for at in self._places(anchor):
                begin = max(line_start(self.text, at), at - 200)
                end = min(line_end(self.text, at), begin + startup.LONGEST_LINE)
                line = self._line_of(at)
                if self.log.startup.read(self.text[begin:end], line):
                    self.log.keep(line, shown(self.text[begin:end]))

    def _read_marks(self) -> None:
        for one in version.WORDINGS:
            if one.words in self.present and one.words not in self.log.version.words:
                at = next(self._places(one.words), None)
                if at is not None:
                    line = self._line_of(at)
                    self.log.version.words[one.words] = line
                    begin = max(line_start(self.text, at), at - 200)
                    self.log.keep(line, shown(self.text[begin : line_end(self.text, at)]))
        if not self.present.isdisjoint(version.SAID_ANCHORS) and self.log.version.exact is None:
            self.log.version.read(self.text, self.block.line)
        for engine, marks in signs.ENGINES.items():
            if not self.present.isdisjoint(marks) and _is_engine(engine, self.text):
                self.log.engines[engine] = self.log.engines.get(engine, 0) + 1
        for head in signs.DEATH_HEADS:
            self.log.deaths += [self._line_of(at) for at in self._places(head)][:100]

    def _read_strangers(self, known: set[int]) -> None:
        for anchor in signs.EXCEPTION_ANCHORS:
            for at in self._places(anchor):
                begin = max(line_start(self.text, at), at - 300)
                found = signs.EXCEPTION.search(
                    self.text[begin : min(line_end(self.text, at), at + 320)]
                )
                line = self._line_of(at)
                if found is None or line in known or found[0].rstrip().endswith('"'):
                    continue
                text = shown(f"{found[1]}: {found[2] or ''}".rstrip(": "))
                near = any(0 <= line - head <= TRACEBACK_LINES for head in self.log.deaths[-100:])
                self.log.stranger(text, line, stamp_before(self.text, at, BEHIND), fatal=near)

    def _note_times(self) -> None:
        if self.log.first_time is None:
            lines = self.text[self.block.start : self.block.start + BEHIND].split("\n")
            times = (read_stamp(line[:HEAD]).time for line in lines)
            self.log.first_time = next(filter(None, times), None)
        end = self.block.stop - (1 if self.text.endswith("\n") else 0)
        last = stamp_before(self.text, end, 2_000).time
        self.log.last_time = last or self.log.last_time

    def _places(self, literal: str) -> Iterator[int]:
        """Where a literal begins within the block's own part."""
        if literal not in self.present:
            return
        at = self.text.find(literal, self.block.start)
        for _ in range(MAX_PER_BLOCK):
            if at < 0 or at >= self.block.stop:
                return
            yield at
            at = self.text.find(literal, at + len(literal))

    def _is_own(self, at: int) -> bool:
        return self.block.start <= at < self.block.stop

    def _line_of(self, at: int) -> int:
        if self._breaks is None:
            self._breaks = [found.start() for found in re.finditer("\n", self.text)]
        return self.block.line + bisect.bisect_left(self._breaks, at)


def _with(seen: Sighting, line: int, before: batch.Reading | None) -> Sighting:
    return replace(seen, line=line, before=before)


def _numbers(groups: dict[str, str | None]) -> dict[str, int | float | str]:
    numbers: dict[str, int | float | str] = {}
    for name, value in groups.items():
        if value is not None:
            plain = value.replace(".", "", 1)
            is_number = plain.isascii() and plain.isdigit()
            numbers[name] = (float(value) if "." in value else int(value)) if is_number else value
    return numbers


def _is_engine(engine: str, text: str) -> bool:
    # sglang imports vllm's kernels in old releases: one path in a traceback is no vLLM log
    return engine != "vllm" or "sglang/srt" not in text
