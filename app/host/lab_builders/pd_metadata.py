"""The metadata that a prefill server hands to decode."""

from collections.abc import Callable

from pools.buffers.pd_metadata import FirstToken, PdMetadata


def build(*, rows: int) -> tuple[None, Callable[[int], object]]:
    """A buffer of `rows` at its fixed width; amounts are top logprobs of one first token.

    Raises:
        PdTopLogprobsExceedsMetadata: from the call, as the buffer does.
    """
    buffer = PdMetadata(rows)

    def hand_over(count: int) -> object:
        tops = [(token, -1.0) for token in range(count)]
        buffer.set_row(0, FirstToken(1, 0, -1.0, tops, bootstrap_room=1))
        return buffer.get_row(0)

    return None, hand_over


BUILDER = build
