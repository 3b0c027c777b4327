"""A host pool smaller than what the device holds."""

from app.engine.scenario import Scenario
from app.engine.traffic import Phase, Traffic

PHASES = (Phase(60, rate=4.0, prompt=2_500, output=200, sessions=60),)

SCENARIO = Scenario(
    name="host-starved",
    title="Host pool starved",
    look="The host pool holds a twentieth of what the device holds, and its copies are of prefixes "
    "that are still on the device. Watch it stay full while backups are skipped by the hundred, "
    "without one error; a raised --hicache-ratio keeps them.",
    requests=lambda seed: iter(Traffic(PHASES, seed)),
    server={"hicache_ratio": 0.05},
)
