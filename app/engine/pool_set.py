"""All pools of one modelled server, built from its plan."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from app.sizing.plan import PoolPlan
from pools.base import Checks, Pool
from pools.device import open_device
from pools.kinds.host_logical import HostLogical
from pools.kinds.kv_pages import KvPages
from pools.kinds.kv_tokens import KvTokens
from pools.kinds.mm_feature import MmFeature
from pools.kinds.radix import Radix
from pools.kinds.request_slots import RequestSlots
from pools.structures.kv_buffers import KvBuffers

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PoolSet:
    """Each pool by its role; `host` and `features` may be absent."""

    slots: RequestSlots
    kv: KvPages | KvTokens
    tree: Radix
    host: HostLogical | None
    features: MmFeature | None

    @classmethod
    def build(cls, plan: PoolPlan) -> "PoolSet":
        """Real pools with real memory on the plan's device.

        Raises:
            DeviceUnavailable: this machine or installation has no such device.
        """
        args, page = plan.args, plan.page_size
        open_device(args.device)
        checks: Checks = "upstream" if args.checks == "upstream" else "strict"
        buffers = KvBuffers(
            plan.kv_tokens + page, device=args.device, memory_check=args.memory_check
        )
        common = {"buffers": buffers, "need_sort": plan.need_sort, "checks": checks}
        kv: KvPages | KvTokens = (
            KvTokens(plan.kv_tokens, **common)  # type: ignore[arg-type]
            if page == 1
            else KvPages(plan.kv_tokens, page, **common)  # type: ignore[arg-type]
        )
        host = HostLogical(plan.host_tokens, page, checks=checks) if plan.host_tokens else None
        tree = Radix(
            kv,
            page,
            eviction_policy=args.radix_eviction_policy,
            host=host,
            disabled=args.disable_radix_cache,
        )
        features = None
        if plan.mm_bytes:
            features = MmFeature(
                plan.mm_bytes,
                args.mm_consumers,
                device=args.device,
                recycle_interval_s=args.mm_recycle_interval_s,
                checks=checks,
            )
        slots = RequestSlots(plan.rows, plan.table_columns, device=args.device, checks=checks)
        return cls(slots, kv, tree, host, features)

    def by_name(self) -> dict[str, Pool]:
        """Pools that are there, in the page's order."""
        listed = (self.slots, self.kv, self.tree, self.host, self.features)
        return {pool.name: pool for pool in listed if pool is not None}

    def reclaimable(self) -> int:
        """Tokens that are free or can be evicted."""
        return self.kv.available_size() + self.tree.evictable_size()

    def read_row(self, row: int, start: int, stop: int) -> Ids:
        """Token ids of a row's positions, int64 on the CPU."""
        part = self.slots.req_to_token[row, start:stop]
        ids: Ids = part.cpu().numpy().astype(np.int64)
        return ids

    def write_row(self, row: int, start: int, ids: Ids) -> None:
        """Put token ids into a row, from position `start`."""
        values = torch.from_numpy(ids.astype(np.int32))
        self.slots.req_to_token[row, start : start + len(ids)] = values

    def write_column(self, rows: Ids, positions: Ids, ids: Ids) -> None:
        """One token id per row, each at its own position."""
        table = self.slots.req_to_token
        if table.device.type == "cpu":
            table.numpy()[rows, positions] = ids
            return
        at = torch.from_numpy(rows).to(table.device), torch.from_numpy(positions).to(table.device)
        table[at] = torch.from_numpy(ids.astype(np.int32)).to(table.device)
