"""A laboratory, as the catalog sees it: cases go in, observations come out. Torch-free.

`app.host.lab` implements it with the real engine and the real pools. A case is plain data, so that
a remedy is a change of one of its fields, and what was offered can be compared before and after.
"""

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from app.sizing.server_args import ServerArgs
from app.traces.request import TraceRequest

#: a small server on which a cause shows within a second; a case changes what it is about
SMALL_SERVER = ServerArgs(
    max_running_requests=48,
    page_size=16,
    max_total_tokens=16_384,
    context_length=2_048,
    chunked_prefill_size=2_048,
    max_prefill_tokens=4_096,
    hicache_ratio=0.0,
    mm_feature_cache_mb=0,
)
Params = dict[str, Any]
When = Literal["failed", "fullest", "ended"]


class LabError(RuntimeError):
    """The lab could not carry out a case; the text says why. Never the outcome of a case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerCase:
    """A modelled server, what is wrong with it, and the requests that clients offer it.

    Attributes:
        server: flags; sizing turns them into pools as for any other server.
        offered: in order of arrival.
        conditions: names and parameters of `app/engine/conditions/`, in the order of set-up.
    """

    offered: tuple[TraceRequest, ...]
    server: ServerArgs = SMALL_SERVER
    conditions: tuple[tuple[str, Params], ...] = ()

    def flags(self, **changes: Any) -> "ServerCase":  # noqa: ANN401 - values of ServerArgs
        """The same case under other flags."""
        return replace(self, server=replace(self.server, **changes))

    def without(self, *names: str) -> "ServerCase":
        """The same case with some conditions mended."""
        kept = tuple(one for one in self.conditions if one[0] not in names)
        return replace(self, conditions=kept)

    def instead(self, name: str, **params: Any) -> "ServerCase":  # noqa: ANN401 - parameters
        """The same case with a condition's parameters changed."""
        changed = tuple((one, params if one == name else old) for one, old in self.conditions)
        return replace(self, conditions=changed)

    @property
    def offered_key(self) -> str:
        """Equal exactly where the same requests are offered at the same times."""
        return _key(self.offered)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildCase:
    """A pool as some caller builds it, and the allocations that it is then asked for.

    Attributes:
        pool: kind of the pool, as `app.host.lab_builders` names it.
        options: of its builder in `app.host.lab_builders`.
        offered: sizes in the pool's unit.
    """

    pool: str
    options: Params
    offered: tuple[int, ...]

    def built(self, **changes: Any) -> "BuildCase":  # noqa: ANN401 - constructor options
        """The same case with other options."""
        return replace(self, options={**self.options, **changes})

    @property
    def offered_key(self) -> str:
        """Equal exactly where the same sizes are asked for."""
        return _key(self.offered)


Case = ServerCase | BuildCase


@dataclass(frozen=True, slots=True)
class PoolEnd:
    """A pool at one moment of a case.

    `cells` has one digit per cell, see `pools.snapshot.STATES`; a pool of bytes is cut into 480
    equal parts. Empty when the pool has no cells, or more than the lab shows.
    """

    name: str
    kind: str
    unit: str
    capacity: int
    available: int
    evictable: int
    protected: int
    held: int
    leaked: int
    cells: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What a case came to. Everything is counted, nothing is judged.

    Attributes:
        offered, offered_tokens, offered_key: how many were offered, how much in all (prompt and
            output tokens, or the pool's unit), and their identity.
        finished, rejected, aborted: ends; their sum is below `offered` where the server died.
        short_tokens: output tokens that were asked for and cut off by a limit at the door.
        most_allowed, reserve_scale: what admission goes by: requests that may run at once, and
            the factor on what it keeps back for their output.
        most_at_once: requests that held a row, or allocations that stood, at the same time.
        codes: events by code, warnings among them.
        fatal: codes that an error or a dead server stands for (level error or critical).
        messages, numbers: of the first event of each code.
        sim_s: simulated seconds.
        pools, pools_when: when the code was first seen; else when most was in use; else at the end.
    """

    offered: int
    offered_tokens: int
    offered_key: str
    finished: int = 0
    rejected: int = 0
    aborted: int = 0
    short_tokens: int = 0
    most_allowed: int = 0
    reserve_scale: float = 1.0
    most_at_once: int = 0
    codes: dict[str, int] = field(default_factory=dict)
    fatal: tuple[str, ...] = ()
    messages: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, dict[str, int | float | str]] = field(default_factory=dict)
    sim_s: float = 0.0
    pools: tuple[PoolEnd, ...] = ()
    pools_when: When = "ended"

    @property
    def served_all(self) -> bool:
        """Every request that was offered was also served to its end."""
        return self.finished == self.offered


class Lab(Protocol):
    """Carries out cases on real pools."""

    def run(self, case: Case, code: str = "") -> Observation:
        """Carry out one case; the pools are shown as they were when `code` was first seen.

        Raises:
            LabError: the case itself is wrong, or did not come to an end.
        """
        ...


def _key(offered: tuple[object, ...]) -> str:
    return hashlib.sha256(repr(offered).encode()).hexdigest()[:16]
