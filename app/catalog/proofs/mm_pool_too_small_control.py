"""A tokenizer worker's share that holds no data."""

from app.catalog.cause import Cause, Try, build
from app.catalog.lab import BuildCase

CAUSES = (
    Cause(
        name="share-below-control-words",
        title="Many workers share a small budget",
        setting="1 MiB shared by 8 tokenizer workers at TP 8: 131,072 bytes each, of which the "
        "control words of 8 consumers take 147,456. Each worker is to hold 4 features of 4 KiB.",
        case=BuildCase(
            pool="mm_feature",
            options={"budget_mib": 1.0, "workers": 8, "consumers": 8},
            offered=(4_096,) * 4,
        ),
        tries=(
            Try("raise-cache", build(lambda case: case.built(budget_mib=2.0))),
            Try("fewer-workers", build(lambda case: case.built(workers=4))),
        ),
    ),
)
