"""What was asked of a server: SGLang's own flag names, and a few of ours. Torch-free."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

DISAGGREGATION_MODES = ("null", "prefill", "decode")
EVICTION_POLICIES = ("lru", "lfu", "slru", "priority", "tlru")
CHECKS = ("strict", "upstream")

GIB = 1 << 30


class FlagError(ValueError):
    """A server flag that cannot work, alone or together with another.

    Attributes:
        flag: as typed, with its dashes.
        value: what was given.
        problem: what is wrong with it.
        remedy: what to write instead.
    """

    def __init__(self, flag: str, value: object, problem: str, remedy: str) -> None:
        super().__init__(f"{flag} {value}: {problem}; {remedy}")
        self.flag = flag
        self.value = value
        self.problem = problem
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class ServerArgs:
    """Flags before any rule is applied; `app.sizing.plan.resolve` says what they become.

    Attributes:
        max_running_requests: rows of the request table over all attention-DP workers; None derives
            the number from the token capacity.
        page_size: tokens per KV page.
        max_total_tokens: KV capacity of one worker, tokens.
        context_length: longest request, tokens.
        chunked_prefill_size: most prompt tokens of one prefill step; 0 or less: no chunks.
        max_prefill_tokens: most prompt tokens of one prefill batch.
        schedule_conservativeness: scales what admission reserves for tokens still to come.
        hicache_ratio: host tokens per device token; 0: no host pool.
        max_queued_requests: requests that may wait; None: any number.
        mm_feature_cache_mb: multimodal feature pool, MiB; 0: none.
        mm_consumers: ranks that must acknowledge a feature before it is released.
        mm_recycle_interval_s: seconds between two passes of the recycler.
        attn_dp_size: attention data-parallel workers; one worker is modelled.
        seed: of the synthetic workloads.
        device: where the pools' memory lies: `cpu`, `cuda` or `cuda:N`.
        checks: `strict` refuses what upstream accepts by accident; `upstream` shows the damage.
        memory_check: write and verify `(row, generation, position)` in the KV buffer.
        memory_budget_bytes: most real memory that the pools may take.
    """

    max_running_requests: int | None = 256
    page_size: int = 16
    max_total_tokens: int = 1_048_576
    context_length: int = 131_072
    chunked_prefill_size: int = 8192
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
    attn_dp_size: int = 1
    seed: int = 0
    device: str = "cpu"
    checks: str = "strict"
    memory_check: bool = True
    memory_budget_bytes: int = 2 * GIB


def suited(args: ServerArgs, wants: Mapping[str, Any]) -> ServerArgs:
    """The flags with what a workload wants where they were left at their default."""
    default = ServerArgs()
    free = {name: to for name, to in wants.items() if getattr(args, name) == getattr(default, name)}
    return dataclasses.replace(args, **free)
