"""One request of a workload, however it came: trace row, scenario or reconstruction."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TraceRequest:
    """A request as it reaches the server.

    Attributes:
        rid: position in the accepted rows, from 0.
        arrival_ns: from the start of the workload, nanoseconds, never decreasing.
        input_tokens: prompt length, at least 1.
        output_tokens: tokens to generate, at least 1.
        hash_ids: one id per prefix block of the prompt, or None without prefix information.
            Equal leading ids mean equal leading tokens.
        block_tokens: tokens behind one hash id; None exactly when hash_ids is None.
        image_bytes: size of each multimodal feature, bytes.
    """

    rid: int
    arrival_ns: int
    input_tokens: int
    output_tokens: int
    hash_ids: tuple[int, ...] | None = None
    block_tokens: int | None = None
    image_bytes: tuple[int, ...] = ()
