"""A prompt beyond one of the two bounds."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import at_once

_SHORTER = Try(
    "shorten", server(lambda case: replace(case, offered=at_once(4, prompt=1_500, output=20)))
)
_CONTEXT = Try("raise-context-length", server(lambda case: case.flags(context_length=8_192)))
_POOL = Try("enlarge", server(lambda case: case.flags(max_total_tokens=65_536)))

CAUSES = (
    Cause(
        name="context-length-binds",
        title="The context length is the smaller bound",
        setting="Context 2,048, 16,384 tokens of KV: a prompt of 2,042 tokens is refused. 4 "
        "prompts of 3,000 tokens.",
        case=ServerCase(offered=at_once(4, prompt=3_000, output=20)),
        tries=(_SHORTER, _CONTEXT, _POOL),
    ),
    Cause(
        name="kv-pool-binds",
        title="The KV pool is the smaller bound",
        setting="Context 32,768, 2,048 tokens of KV: a prompt of 2,042 tokens is refused. 4 "
        "prompts of 3,000 tokens.",
        case=ServerCase(
            server=replace(SMALL_SERVER, context_length=32_768, max_total_tokens=2_048),
            offered=at_once(4, prompt=3_000, output=20),
        ),
        tries=(
            _SHORTER,
            Try("raise-context-length", server(lambda case: case.flags(context_length=65_536))),
            _POOL,
        ),
    ),
)
