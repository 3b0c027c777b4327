"""What a viewer asks for: checked before anything of it is taken."""

from dataclasses import dataclass, field
from typing import Any

from app.wire.frame import FrameError, Header

MAX_HZ = 20.0
MAX_VIEWS = 32
MAX_CELLS = 1 << 32


@dataclass(frozen=True, slots=True)
class Subscription:
    """Pools whose cells a viewer draws, the range of each, and how often it wants news.

    `views[pool]` is a (start, stop) range of cells; a pool without one is sent whole.
    """

    pools: tuple[str, ...] = ()
    views: dict[str, tuple[int, int]] = field(default_factory=dict)
    max_hz: float = 10.0
    resume_epoch: int = 0
    resume_seq: int = 0
    resume_event_seq: int | None = None

    @classmethod
    def from_header(cls, header: Header) -> "Subscription":
        """Read a subscribe message.

        Raises:
            FrameError: naming the field and what is accepted.
        """
        resume = header.get("resume")
        resume = {} if resume is None else resume
        _expect(isinstance(resume, dict), "resume must be {epoch, seq, event_seq}")
        event_seq = resume.get("event_seq")
        return cls(
            pools=_pools(header.get("pools", [])),
            views=_views(header.get("views") or []),
            max_hz=_hz(header.get("max_hz", 10.0)),
            resume_epoch=_count(resume.get("epoch", 0), "resume.epoch"),
            resume_seq=_count(resume.get("seq", 0), "resume.seq"),
            resume_event_seq=None if event_seq is None else _count(event_seq, "resume.event_seq"),
        )

    def range_of(self, pool: str, cells: int) -> tuple[int, int]:
        """The cells of `pool` that this viewer draws, clipped to what there is."""
        start, stop = self.views.get(pool, (0, cells))
        return min(start, cells), min(stop, cells)


def _expect(claim: bool, text: str) -> None:
    if not claim:
        raise FrameError(f"subscribe: {text}")


def _count(value: Any, name: str) -> int:  # noqa: ANN401 - anything may come over the wire
    _expect(type(value) is int and 0 <= value < 1 << 53, f"{name} must be a whole number")
    return int(value)


def _pools(value: Any) -> tuple[str, ...]:  # noqa: ANN401
    fine = isinstance(value, list) and len(value) <= MAX_VIEWS
    _expect(fine and all(isinstance(name, str) for name in value), "pools must be a list of names")
    return tuple(value)


def _hz(value: Any) -> float:  # noqa: ANN401
    number = isinstance(value, int | float) and not isinstance(value, bool)
    _expect(number and 0 < value <= 1000, f"max_hz must be a number above 0, got {value!r}")
    return float(min(value, MAX_HZ))


def _views(value: Any) -> dict[str, tuple[int, int]]:  # noqa: ANN401
    _expect(isinstance(value, list) and len(value) <= MAX_VIEWS, "views must be a list")
    views: dict[str, tuple[int, int]] = {}
    for view in value:
        _expect(isinstance(view, dict) and isinstance(view.get("pool"), str), "a view names a pool")
        _expect(view.get("level", 0) == 0, "only level 0 (one value per cell) is sent")
        start = _count(view.get("start", 0), "views.start")
        stop = _count(view.get("stop", MAX_CELLS), "views.stop")
        _expect(start < stop, f"views.start {start} must be below stop {stop}")
        views[view["pool"]] = (start, stop)
    return views
