"""The share of the output still to come that admission reserves.

Mirrors: sglang 0.5.23 managers/scheduler_components/new_token_ratio_tracker.py
"""

INIT, MIN_FACTOR, DECAY_STEPS, RETRACT_EXTRA = 0.7, 0.14, 600, 20


class NewTokenRatio:
    """Starts high, decays with every decode step, and is estimated anew after a retraction."""

    def __init__(self, conservativeness: float) -> None:
        self.init = min(INIT * conservativeness, 1.0)
        self.floor = MIN_FACTOR * self.init
        self._decay = (self.init - self.floor) / DECAY_STEPS
        self.current = self.init

    def on_decode(self) -> None:
        """One decode step went by."""
        self.current = max(self.current - self._decay, self.floor)

    def on_idle(self) -> None:
        """Nothing runs: start over."""
        self.current = self.init

    def on_retract(self, tokens_out: int, max_new_tokens: int, requests: int) -> None:
        """After a retraction, from what still runs: (Σ out + 20 n) / (Σ max_new + 1), at most 1."""
        estimate = (tokens_out + RETRACT_EXTRA * requests) / (max_new_tokens + 1)
        self.current = min(estimate, 1.0)
