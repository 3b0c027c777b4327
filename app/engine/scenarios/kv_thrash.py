"""KV runs out in decode: retraction."""

from app.engine.scenario import Scenario
from app.engine.traffic import Phase, Traffic

#: few requests first: their quick decode steps wear the new-token ratio down to its floor, so
#: that admission reserves little for the crowd behind them
PHASES = (
    Phase(5, 3.0, prompt=900, output=2_500, output_spread=0.1, system_tokens=1_024),
    Phase(
        60, 11.0, prompt=6_000, output=2_500, output_spread=0.1, sessions=2_000, system_tokens=1_024
    ),
)

SCENARIO = Scenario(
    name="kv-thrash",
    title="KV thrash",
    look="Outputs grow longer than admission reserved for, so decode runs out of pages. Watch "
    "requests being retracted and prefilled again, and the new-token ratio climb from its floor.",
    requests=lambda seed: iter(Traffic(PHASES, seed)),
)
