"""Constructors as operations, so that what each side refuses to build can be compared."""

from collections.abc import Mapping
from typing import Any

import torch

from pools.kinds.host_logical import HostLogical
from pools.kinds.kv_pages import KvPages
from pools.kinds.mm_feature import MmFeature
from pools.kinds.request_slots import RequestSlots
from tests.conformance.cuda_stand_in import feature_pool
from tests.conformance.upstream import classes
from tests.conformance.walk import Setup


class Ours:
    """Builds a pool and forgets it."""

    def __init__(self, setup: Setup) -> None:
        self.checks = setup.checks

    def rows(self, size: int, columns: int) -> None:
        RequestSlots(size, columns, checks=self.checks)

    def pages(self, size: int, page_size: int) -> None:
        KvPages(size, page_size, checks=self.checks)

    def host(self, size: int, page_size: int) -> None:
        HostLogical(size, page_size, checks=self.checks)

    def features(self, memory_size: int, consumers: int, slots: int, interval_s: float) -> None:
        MmFeature(
            memory_size,
            consumers,
            num_slots=slots,
            recycle_interval_s=interval_s,
            checks=self.checks,
        )

    def look(self) -> Mapping[str, object]:
        return {}


class Upstream:
    """The same of SGLang's classes."""

    def __init__(self, setup: Setup) -> None:
        self.classes = classes()

    def rows(self, size: int, columns: int) -> None:
        self.classes.ReqToToken(size, columns, "cpu", False)

    def pages(self, size: int, page_size: int) -> None:
        self.classes.Paged(size, page_size, torch.float16, "cpu", None, False)

    def host(self, size: int, page_size: int) -> None:
        self.classes.LogicalHost(size, page_size)

    def features(self, memory_size: int, consumers: int, slots: int, interval_s: float) -> None:
        feature_pool(memory_size, consumers, slots, recycle_interval=interval_s)

    def look(self) -> Mapping[str, object]:
        return {}


def sides(setup: Setup) -> tuple[Any, Any]:
    """Both."""
    return Ours(setup), Upstream(setup)
