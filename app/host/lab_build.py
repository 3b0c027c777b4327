"""Cases that are over before a server runs: a pool is built as some caller builds it, then used."""

from app.catalog.lab import BuildCase, LabError, Observation, PoolEnd
from app.host.lab_builders import builder
from app.host.lab_tally import pool_ends
from pools.errors import PoolError


def run_build(case: BuildCase) -> Observation:
    """Build the pool and ask it for what is offered.

    Raises:
        LabError: no such pool, or options that it does not take.
    """
    done = 0
    raised: PoolError | None = None
    ends: tuple[PoolEnd, ...] = ()
    try:
        pool, take = builder(case.pool)(**case.options)
        for amount in case.offered:
            done += take(amount) is not None
        ends = pool_ends([pool], 0.0) if pool is not None else ()
    except PoolError as error:
        raised = error
    except (KeyError, TypeError, ValueError) as error:
        raise LabError(f"{case.pool}: {error}") from error
    codes = {} if raised is None else {raised.code: 1}
    return Observation(
        offered=len(case.offered),
        offered_tokens=sum(case.offered),
        offered_key=case.offered_key,
        finished=done,
        rejected=len(case.offered) - done if raised is None else 0,
        most_at_once=done,
        codes=codes,
        fatal=tuple(codes),
        messages={} if raised is None else {raised.code: str(raised)},
        numbers={} if raised is None else {raised.code: dict(raised.numbers)},
        pools=ends,
        pools_when="ended",
    )
