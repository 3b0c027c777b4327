"""KV runs out in decode: retraction."""

from app.engine.scenario import Scenario
from app.engine.traffic import Phase, Traffic

PHASES = (Phase(60, rate=12.0, prompt=600, output=6_000, output_spread=0.2, system_tokens=1_024),)
