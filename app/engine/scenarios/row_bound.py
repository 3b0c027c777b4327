"""Rows run out while KV is half empty."""

from app.engine.scenario import Scenario
from app.engine.traffic import Phase, Traffic

PHASES = (Phase(60, rate=28.0, prompt=300, output=700, system_tokens=512, sessions=400),)

SCENARIO = Scenario(
    name="row-bound",
    title="Row-bound",
    look="Many short requests hold every row while most KV pages are free. Raising "
    "--max-running-requests helps, a larger KV pool would not.",
    requests=lambda seed: iter(Traffic(PHASES, seed)),
)
