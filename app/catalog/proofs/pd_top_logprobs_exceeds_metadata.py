"""More logprobs than a row is wide."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, build
from app.catalog.lab import BuildCase

CAUSES = (
    Cause(
        name="client-asks-for-more",
        title="A client asks for more top logprobs than a row holds",
        setting="A metadata buffer of 8 rows; first tokens with 20 and with 200 top logprobs.",
        case=BuildCase(pool="pd_metadata", options={"rows": 8}, offered=(20, 200)),
        tries=(Try("ask-for-less", build(lambda case: replace(case, offered=(20, 128)))),),
    ),
)
