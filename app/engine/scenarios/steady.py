"""Healthy traffic with headroom."""

from app.engine.scenario import Scenario
from app.engine.traffic import Phase, Traffic

PHASES = (Phase(60, rate=2.5, prompt=900, output=250, image_share=0.3, image_mib=(0.5, 1, 2, 4)),)

SCENARIO = Scenario(
    name="steady",
    title="Healthy",
    look="Chat sessions that share system prompts, with room in every pool. Watch evictable grow: "
    "a full but warm cache is healthy.",
    requests=lambda seed: iter(Traffic(PHASES, seed)),
)
