"""An interval without a pause."""

from app.catalog.cause import Cause, Try, build
from app.catalog.lab import BuildCase

CAUSES = (
    Cause(
        name="interval-of-zero",
        title="The interval is set to 0, to recycle as fast as possible",
        setting="A pool of 1 MiB for 2 consumers with an interval of 0 s; 4 features of 4 KiB.",
        case=BuildCase(
            pool="mm_feature",
            options={"budget_mib": 1.0, "workers": 1, "consumers": 2, "interval_s": 0.0},
            offered=(4_096,) * 4,
        ),
        tries=(
            Try(
                "positive-interval",
                build(lambda case: tuple(case.built(interval_s=s) for s in (0.05, 0.001))),
            ),
        ),
    ),
)
