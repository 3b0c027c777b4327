"""Buffers beyond what this machine was told to give."""

from dataclasses import replace

from app.catalog.cause import Cause, Try, server
from app.catalog.lab import SMALL_SERVER, ServerCase
from app.catalog.requests import at_once

MIB = 1 << 20
_CASE = ServerCase(
    server=replace(SMALL_SERVER, max_total_tokens=262_144, memory_budget_bytes=8 * MIB),
    offered=at_once(20, prompt=100, output=20),
)

CAUSES = (
    Cause(
        name="pools-above-the-budget",
        title="The real buffers need more than the budget",
        setting="262,144 tokens at 64 bytes each, and a budget of 8 MiB. 20 requests of 100 "
        "tokens arrive at once.",
        case=_CASE,
        tries=(
            Try("raise-budget", server(lambda case: case.flags(memory_budget_bytes=64 * MIB))),
            Try("smaller-pool", server(lambda case: case.flags(max_total_tokens=65_536))),
        ),
    ),
)
