"""KV runs out in decode: retraction."""

from app.engine.scenario import Scenario
from app.engine.traffic import Phase, Traffic

PHASES = (
    Phase(60, rate=4.0, prompt=7_000, output=3_500, systems=8, system_tokens=1_024, sessions=600),
)

SCENARIO = Scenario(
    name="kv-thrash",
    title="KV thrash",
    look="Outputs grow longer than admission reserved for, so decode runs out of pages. Watch "
    "requests being retracted and prefilled again, and the new-token ratio jump.",
    requests=lambda seed: iter(Traffic(PHASES, seed)),
)
