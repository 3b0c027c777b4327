"""Requests from a server's log, where arrival and end are lines of their own."""

from collections import OrderedDict
from typing import Any

from app.traces.csv_rows import point_in_time
from app.traces.errors import RowProblem, excerpt
from app.traces.fields import token_count
from app.traces.format import Row

#: requests that may be under way at once; older ones count as without an end
MAX_OPEN = 1_000_000
NS_PER_S = 1_000_000_000


class OpenRequests:
    """Requests whose end has not been seen yet."""

    def __init__(self, max_open: int = MAX_OPEN) -> None:
        self._max = max_open
        self._open: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def received(self, rid: str, time_ns: int, line: int) -> tuple[int, RowProblem] | None:
        """Note an arrival; what had to be given up for it, if anything."""
        # the server logs an OpenAI request a second time in its own form
        self._open.setdefault(rid, (time_ns, line))
        return self._give_up() if len(self._open) > self._max else None

    def finished(self, rid: str, time_ns: int, meta: dict[str, Any]) -> Row:
        """The request that has ended.

        Args:
            rid: its id.
            time_ns: of the line that says so, nanoseconds.
            meta: the answer's `meta_info`.

        Raises:
            RowProblem: no arrival and no latency, or a length that no request can have.
        """
        arrived = self._open.pop(rid, None)
        start_ns = arrived[0] if arrived else _before(time_ns, meta)
        return Row(
            point_in_time(start_ns, "timestamp"),
            _tokens(meta, "prompt_tokens", "input"),
            _tokens(meta, "completion_tokens", "output"),
        )

    def left(self) -> list[tuple[int, RowProblem]]:
        """Line and problem of each request without an end, at the end of the file."""
        return [self._give_up() for _ in range(len(self._open))]

    def _give_up(self) -> tuple[int, RowProblem]:
        rid, (_, line) = self._open.popitem(last=False)
        return line, RowProblem("no-end", "rid", f"{excerpt(rid)} was received and never finished")


def _before(time_ns: int, meta: dict[str, Any]) -> int:
    latency = meta.get("e2e_latency")
    if isinstance(latency, bool) or not isinstance(latency, int | float) or not 0 <= latency < 1e9:
        raise RowProblem("no-arrival", "rid", "finished without having been received")
    return time_ns - round(latency * NS_PER_S)


def _tokens(meta: dict[str, Any], field: str, side: str) -> int:
    value = meta.get(field)
    if isinstance(value, bool) or not isinstance(value, int):
        reason = "missing-field" if value is None else "wrong-type"
        raise RowProblem(reason, field, f"{excerpt(value)} is not a whole number")
    return token_count(value, field, side)
