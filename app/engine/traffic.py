"""Seeded synthetic traffic: sessions that share prefixes, phases of load, images.

A prompt is a shared system prefix, the session's history and a new turn, as hash ids over blocks.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from app.traces.request import TraceRequest

#: tokens behind one hash id
BLOCK = 256
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Phase:
    """Traffic of one kind for some time.

    Attributes:
        seconds: how long; the last phase of a list goes on for ever.
        rate: requests per second, exponential gaps.
        prompt: mean new prompt tokens of a turn, lognormal.
        output: mean output tokens, lognormal.
        output_spread: its sigma.
        systems: distinct system prefixes, `system_tokens` each.
        sessions: sessions that turns are drawn from; each keeps its history.
        image_share: share of requests with images.
        image_mib: sizes of an image that are drawn from, MiB.
    """

    seconds: float
    rate: float
    prompt: int
    output: int
    systems: int = 3
    system_tokens: int = 2_048
    sessions: int = 40
    output_spread: float = 0.5
    image_share: float = 0.0
    image_mib: Sequence[float] = (1.0,)


#: a session starts over when its history is longer, tokens
LONGEST_HISTORY = 24_000
PROMPT_SPREAD = 0.5


class Traffic:
    """Requests of a list of phases for a seed; memory is bounded by the sessions."""

    def __init__(self, phases: Sequence[Phase], seed: int) -> None:
        self._phases = phases
        self._rng = np.random.default_rng(seed)
        self._history: dict[int, list[int]] = {}
        self._next_hash = 1 << 20

    def __iter__(self) -> Iterator[TraceRequest]:
        t_s, rid, end_s = 0.0, 0, 0.0
        for index, phase in enumerate(self._phases):
            last = index == len(self._phases) - 1
            end_s += phase.seconds
            while last or t_s < end_s:
                t_s += float(self._rng.exponential(1.0 / phase.rate))
                yield self._request(phase, rid, t_s)
                rid += 1

    def _request(self, phase: Phase, rid: int, t_s: float) -> TraceRequest:
        rng = self._rng
        session = int(rng.integers(phase.sessions))
        history = self._history.setdefault(session, self._system(session, phase))
        if len(history) * BLOCK > LONGEST_HISTORY:
            history = self._history[session] = self._system(session, phase)
        turn = max(1, round(self._length(phase.prompt, PROMPT_SPREAD) / BLOCK))
        history += [self._fresh() for _ in range(turn)]
        output = self._length(phase.output, phase.output_spread)
        images: tuple[int, ...] = ()
        if rng.random() < phase.image_share:
            count = 1 + int(rng.integers(3))
            sizes = rng.choice(np.asarray(phase.image_mib), count)
            images = tuple(int(size * MIB * rng.uniform(0.6, 1.4)) for size in sizes)
        return TraceRequest(
            rid=rid,
            arrival_ns=int(t_s * 1e9),
            input_tokens=len(history) * BLOCK - int(rng.integers(BLOCK)),
            output_tokens=output,
            hash_ids=tuple(history),
            block_tokens=BLOCK,
            image_bytes=images,
        )

    def _system(self, session: int, phase: Phase) -> list[int]:
        which = session % phase.systems
        blocks = phase.system_tokens // BLOCK
        return [which * blocks + block for block in range(blocks)]

    def _length(self, mean: int, spread: float) -> int:
        mu = np.log(mean) - spread**2 / 2
        return max(1, int(self._rng.lognormal(mu, spread)))

    def _fresh(self) -> int:
        self._next_hash += 1
        return self._next_hash
