"""A host allocation that is no multiple of the page."""

from typing import TYPE_CHECKING, Any

from app.engine.fault import Fault
from pools.errors import HostAllocUnaligned

if TYPE_CHECKING:
    from app.engine.driver import Driver

NAME = "unaligned-host-alloc"
MOST_TOKENS = 1_000_000_000


def inject(driver: "Driver", need_size: int = 37) -> dict[str, Any]:
    """Allocate a raw sequence length on the host pool.

    Raises:
        ValueError: there is no host pool, or need_size is aligned after all or beyond measure.
    """
    host = driver.set.host
    if host is None:
        raise ValueError("there is no host pool; start with --hicache-ratio above 0")
    known = type(need_size) is int and abs(need_size) <= MOST_TOKENS
    if not known or need_size % host.page_size == 0:
        raise ValueError(
            f"need_size must be a whole number up to {MOST_TOKENS} and no multiple of page size "
            f"{host.page_size}, got {need_size!r:.40}"
        )
    try:
        host.alloc(need_size)
    except HostAllocUnaligned as error:
        driver.raised(error, host.name, NAME)
        return {"raised": error.code, **error.numbers}
    return {"raised": None}


FAULT = Fault(
    name=NAME,
    title="Unaligned host allocation",
    look="Asks the host pool for 37 tokens, as a caller does that passes a raw sequence length. "
    "The size is refused before capacity is looked at; nothing changes.",
    destructive=False,
    inject=inject,
)
