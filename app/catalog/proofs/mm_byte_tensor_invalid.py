"""Memory that a caller brings and that does not suit."""

from app.catalog.cause import Cause, Try, build
from app.catalog.lab import BuildCase


def _case(memory: str) -> BuildCase:
    options = {"budget_mib": 1.0, "workers": 1, "consumers": 2, "memory": memory}
    return BuildCase(pool="mm_feature", options=options, offered=(4_096,) * 4)


_MATCHING = Try("matching-tensor", build(lambda case: case.built(memory="uint8")))

CAUSES = (
    Cause(
        name="wrong-dtype",
        title="The tensor has another type",
        setting="A pool of 1 MiB on a float16 tensor.",
        case=_case("float16"),
        tries=(_MATCHING,),
    ),
    Cause(
        name="not-contiguous",
        title="The tensor is a view with gaps",
        setting="A pool of 1 MiB on every second byte of a larger tensor.",
        case=_case("strided"),
        tries=(_MATCHING,),
    ),
    Cause(
        name="too-short",
        title="The tensor is shorter than the pool",
        setting="A pool of 1 MiB on a tensor of 1 MiB less a byte.",
        case=_case("short"),
        tries=(_MATCHING,),
    ),
)
