"""A consumer that does not acknowledge."""

from typing import TYPE_CHECKING, Any

from app.engine.fault import Fault

if TYPE_CHECKING:
    from app.engine.driver import Driver

NAME = "silent-consumer"
LONGEST_S = 3600


def inject(
    driver: "Driver", consumer: int = 1, seconds: float = 5.0, share: float = 1.0
) -> dict[str, Any]:
    """Hold back a share of one consumer's acknowledgements for so many simulated seconds.

    Raises:
        ValueError: no feature pool, no such consumer, or an odd duration.
    """
    stage = driver.features
    if stage is None:
        raise ValueError("there is no feature pool; start with --mm-feature-cache-mb above 0")
    ranks = driver.plan.args.mm_consumers
    if type(consumer) is not int or not 0 <= consumer < ranks:
        raise ValueError(f"consumer must be in 0..{ranks - 1}, got {consumer!r}")
    if isinstance(seconds, bool) or not 0 < float(seconds) <= LONGEST_S:
        raise ValueError(f"seconds must be above 0 and at most {LONGEST_S}, got {seconds!r}")
    if isinstance(share, bool) or not 0 < float(share) <= 1:
        raise ValueError(f"share must be above 0 and at most 1, got {share!r}")
    stage.silence(consumer, driver.now_ns + int(float(seconds) * 1e9), float(share))
    return {"consumer": consumer, "seconds": float(seconds), "share": float(share)}


FAULT = Fault(
    name=NAME,
    title="Silent consumer",
    look="Consumer 1 acknowledges nothing for five simulated seconds. Leases pile up, the byte "
    "ruler fills with holes, and new features take the slow path.",
    destructive=False,
    inject=inject,
)
