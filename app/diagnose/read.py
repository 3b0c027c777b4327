"""From blocks of text to a `Log`: one automaton says what a block holds, then only that is read."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from app.catalog.match import Hit, Number, anchor_of, anchors, hits
from app.catalog.scan import LiteralSet
from app.diagnose import batch, signs, startup, version
from app.diagnose.balance import numbers_of, read_balances
from app.diagnose.fold import Sighting
from app.diagnose.log import Log
from app.diagnose.mask import shown
from app.diagnose.piece import Piece
from app.diagnose.signs import BY_NAME, SIGNS, Sign
from app.diagnose.source import LogSource
from app.diagnose.stamp import line_end, line_start

#: characters from an occurrence in which its further figures stand
EXCERPT = 1_600
#: lines below the scheduler's head that belong to its traceback
TRACEBACK_LINES = 120
MAX_DEATHS = 1_000
#: lines with exceptions that are looked at; a log with more is not short of examples
MAX_STRANGERS_READ = 20_000


def read_log(source: LogSource) -> Log:
    """Read a whole log; memory does not grow with its size.

    Raises:
        LogTooLargeError: more text than the source allows.
    """
    log = Log()
    scanner = _scanner()
    for block in source.blocks():
        piece = Piece(block, scanner.within(block.text))
        if piece.present:
            _Reader(log, piece).read()
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
    """One block into the log."""

    def __init__(self, log: Log, piece: Piece) -> None:
        self.log, self.piece, self.text = log, piece, piece.text

    def read(self) -> None:
        """Everything in the block, in order, so that each event knows the batch line before it."""
        self._read_startup()
        self._read_marks()
        found = sorted(self._found(), key=lambda item: item[0])
        readings = self._readings()
        reading = next(readings, None)
        for start, what in found:
            while reading is not None and reading[0] < start:
                self.log.usage.add(reading[1])
                reading = next(readings, None)
            self._take(start, what)
        while reading is not None:
            self.log.usage.add(reading[1])
            reading = next(readings, None)
        self._read_strangers({self.piece.line_of(start) for start, _ in found})
        self.log.first_time = self.log.first_time or self.piece.first_time()
        self.log.last_time = self.piece.last_time() or self.log.last_time

    def _found(self) -> Iterator[tuple[int, Sign | Hit]]:
        covered: set[int] = set()
        storms = self.log.events.storms
        for name in storms:
            anchor = BY_NAME[name].anchors[0] if name in BY_NAME else anchor_of(name)
            self.log.events.count(name, self.piece.count(anchor))
        for hit in hits(self.text, self.piece.present, storms):
            covered.add(line_start(self.text, hit.start))
            if self.piece.is_own(hit.start):
                yield hit.start, hit
        for sign in SIGNS:
            if sign.name in storms:
                continue
            taken = set(covered)  # two marks of one sign may stand on one line
            for anchor in sign.anchors:
                for at in self.piece.places(anchor):
                    begin = line_start(self.text, at)
                    if begin not in taken:
                        taken.add(begin)
                        yield at, sign

    def _take(self, start: int, what: Sign | Hit) -> None:
        seen = self._hit(start, what) if isinstance(what, Hit) else self._sign(start, what)
        if seen is not None:
            self.log.events.add(seen, lambda first: self._described(start, first))

    def _described(self, start: int, seen: Sighting) -> Sighting:
        return replace(
            seen,
            text=self.piece.line(start),
            more=self.piece.below(start) if seen.code else (),
            before=self.log.usage.of(seen.stamp.rank),
        )

    def _hit(self, start: int, hit: Hit) -> Sighting:
        seen = self._sighting(start, hit.entry.code, hit.numbers)
        return replace(seen, code=hit.entry.code, wording=hit.wording)

    def _sign(self, start: int, sign: Sign) -> Sighting | None:
        numbers: dict[str, Number] = {}
        if sign.pattern is not None:
            around = self.text[self.piece.begin_of(start) : start + EXCERPT]
            found = sign.pattern.search(around)
            if found is None and sign.strict:
                return None
            numbers = _numbers(found.groupdict() if found else {})
        return self._sighting(start, sign.name, numbers)

    def _sighting(self, start: int, name: str, numbers: dict[str, Number]) -> Sighting:
        lists = "leak" in name or name == "pool-dump"
        balances = read_balances(self.text[start : start + EXCERPT]) if lists else ()
        return Sighting(
            name=name,
            code=None,
            numbers={**numbers, **numbers_of(balances)},
            line=self.piece.line_of(start),
            stamp=self.piece.stamp(start),
            balances=balances,
        )

    def _readings(self) -> Iterator[tuple[int, batch.Reading]]:
        if self.piece.has(batch.ANCHORS[:3]):
            yield from batch.readings(self.text, self.piece.start, self.piece.stop)
        if batch.ANCHORS[3] in self.piece.present:
            yield from batch.engine_readings(self.text, self.piece.start, self.piece.stop)

    def _read_startup(self) -> None:
        if self.log.events.items and self.log.deaths:
            return  # a restart after the failure must not replace what it failed with
        for anchor in startup.ANCHORS:
            for at in self.piece.places(anchor):
                begin, line = self.piece.begin_of(at), self.piece.line_of(at)
                end = min(line_end(self.text, at), begin + startup.LONGEST_LINE)
                if self.log.startup.read(self.text[begin:end], line):
                    self.log.keep(line, self.piece.line(at))

    def _read_marks(self) -> None:
        release = self.log.version
        for one in version.WORDINGS:
            at = next(self.piece.places(one.words), None)
            if at is not None and one.words not in release.words:
                self._keep(at, one.words)
        if self.piece.has(version.SAID_ANCHORS) and release.exact is None:
            at = release.read(self.text)
            if at is not None:
                self._keep(at, "")
        for engine, marks in signs.ENGINES.items():
            if self.piece.has(marks) and _is_engine(engine, self.text):
                self.log.engines[engine] = self.log.engines.get(engine, 0) + 1
        for head in signs.DEATH_HEADS:
            self.log.deaths += [self.piece.line_of(at) for at in self.piece.places(head)]
        del self.log.deaths[:-MAX_DEATHS]

    def _keep(self, at: int, words: str) -> None:
        line = self.log.version.words[words] = self.piece.line_of(at)
        self.log.keep(line, self.piece.line(at))

    def _read_strangers(self, known: set[int]) -> None:
        for anchor in signs.EXCEPTION_ANCHORS:
            if self.log.strangers_read > MAX_STRANGERS_READ:
                return
            for at in self.piece.places(anchor):
                self.log.strangers_read += 1
                end = min(line_end(self.text, at), at + 320)
                found = signs.EXCEPTION.search(self.text[self.piece.begin_of(at) : end])
                line = self.piece.line_of(at)
                if found is None or line in known or found[0].rstrip().endswith('"'):
                    continue
                text = shown(f"{found[1]}: {found[2] or ''}".rstrip(": "))
                near = any(0 <= line - head <= TRACEBACK_LINES for head in self.log.deaths[-100:])
                self.log.stranger(text, line, self.piece.stamp(at), fatal=near)


def _numbers(groups: dict[str, str | None]) -> dict[str, Number]:
    numbers: dict[str, Number] = {}
    for name, value in groups.items():
        if value is not None:
            plain = value.replace(".", "", 1)
            is_number = plain.isascii() and plain.isdigit()
            numbers[name] = (float(value) if "." in value else int(value)) if is_number else value
    return numbers


def _is_engine(engine: str, text: str) -> bool:
    # old releases of sglang import vllm's kernels: a path in a traceback is no vLLM log
    return engine != "vllm" or "sglang" not in text
