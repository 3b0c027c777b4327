"""SGLang 0.5.23's own pool classes, unmodified, on a machine without a GPU.

Needs the environment of `make setup-conformance`; importing takes about ten seconds. What stands
in for something else, complete:

1. `torchvision` and two of its submodules are empty modules when it is not installed: the wheels
   are linked against CUDA torch and fail beside a CPU build. No pool class uses them. They go in
   after `import sglang`, so that transformers goes on taking torchvision for absent.
2. `time` within the radix cache is a counter. Two nodes touched within one tick of the real clock
   would leave the order between them to chance.
3. For the feature pool alone, see `tests.conformance.cuda_stand_in`.
"""

import importlib.machinery
import importlib.util
import itertools
import os
import sys
import types
import warnings
from functools import cache
from typing import Any

VERSION = "0.5.23"
_STAND_INS = ("torchvision", "torchvision.transforms", "torchvision.transforms.functional")


class TickClock:
    """`time` for the radix cache: every reading is later than the one before."""

    def __init__(self) -> None:
        self._ticks = itertools.count(1)

    def monotonic(self) -> float:
        return float(next(self._ticks))

    perf_counter = monotonic


@cache
def classes() -> types.SimpleNamespace:
    """The classes, imported once.

    Raises:
        ImportError: another version of SGLang, or none.
    """
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _imported()


def _imported() -> types.SimpleNamespace:
    from transformers.utils import import_utils

    import_utils.is_torchvision_available()
    import sglang

    if sglang.__version__ != VERSION:
        raise ImportError(f"SGLang {sglang.__version__} is installed, {VERSION} is compared with")
    if importlib.util.find_spec("torchvision") is None:
        for name in _STAND_INS:
            _stand_in(name)
    from sglang.srt.mem_cache import base_prefix_cache, cache_init_params, radix_cache
    from sglang.srt.mem_cache.allocator.paged import PagedTokenToKVPoolAllocator
    from sglang.srt.mem_cache.allocator.token import TokenToKVPoolAllocator
    from sglang.srt.mem_cache.memory_pool import ReqToTokenPool
    from sglang.srt.mem_cache.memory_pool_host import LogicalHostPool
    from sglang.srt.multimodal.transport import memory_pool as transport

    radix_cache.time = TickClock()
    return types.SimpleNamespace(
        Token=TokenToKVPoolAllocator,
        Paged=PagedTokenToKVPoolAllocator,
        ReqToToken=ReqToTokenPool,
        LogicalHost=LogicalHostPool,
        RadixCache=radix_cache.RadixCache,
        RadixKey=radix_cache.RadixKey,
        CacheInitParams=cache_init_params.CacheInitParams,
        EvictParams=base_prefix_cache.EvictParams,
        InsertParams=base_prefix_cache.InsertParams,
        MatchPrefixParams=base_prefix_cache.MatchPrefixParams,
        transport=transport,
    )


def _stand_in(name: str) -> None:
    module = types.ModuleType(name)
    module.__path__ = []
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)

    class Unusable:
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            raise RuntimeError(f"the stand-in for {name} was used")

    def attribute(wanted: str) -> type:
        if wanted.startswith("__"):
            raise AttributeError(wanted)
        return Unusable

    module.__getattr__ = attribute  # type: ignore[method-assign]
    sys.modules[name] = module
    parent, _, child = name.rpartition(".")
    if parent:
        setattr(sys.modules[parent], child, module)
