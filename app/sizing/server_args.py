"""Server flags under SGLang's own names, and the error that explains a bad one. Torch-free."""

from dataclasses import dataclass

GIB = 1 << 30


class FlagError(ValueError):
    """A flag that cannot work: which, with what value, why, and what to do."""

    def __init__(self, flag: str, value: object, problem: str, remedy: str) -> None:
        super().__init__(f"{flag} {value}: {problem}; {remedy}")
        self.flag, self.value, self.problem, self.remedy = flag, value, problem, remedy


@dataclass(frozen=True, slots=True)
class ServerArgs:
    """What the modelled server was started with; None means SGLang's own default rule.

    Sizes are tokens unless the name says otherwise. `hicache_ratio` 0 leaves out the host pool,
    `mm_feature_cache_mb` 0 the feature pool. The last group is Poolscope's own.
    """

    max_running_requests: int | None = 256
    page_size: int = 16
    max_total_tokens: int = 1_048_576
    context_length: int = 131_072
    chunked_prefill_size: int = 8_192
    max_prefill_tokens: int = 16_384
    schedule_conservativeness: float = 1.0
    hicache_ratio: float = 2.0
    disable_radix_cache: bool = False
    radix_eviction_policy: str = "lru"
    max_queued_requests: int | None = None
    mm_feature_cache_mb: int = 256
    mm_consumers: int = 2
    mm_recycle_interval_s: float = 0.05
    disaggregation_mode: str = "null"
    seed: int = 0
    device: str = "cpu"
    checks: str = "strict"
    memory_check: bool = True
    memory_budget_bytes: int = 2 * GIB
