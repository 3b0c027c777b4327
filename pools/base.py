"""The protocol that every pool keeps, and the registry of kinds.

A kind is one file in `pools/kinds/` that ends with `POOL = <class>`; nothing else is edited.
"""

import importlib
import pkgutil
from types import ModuleType
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from pools.snapshot import Geometry, PoolSnapshot

#: strict refuses what SGLang accepts by accident; upstream accepts it and shows the damage.
Checks = Literal["strict", "upstream"]


@runtime_checkable
class Pool(Protocol):
    """What the probe, the tests and the pages need of any pool."""

    KIND: ClassVar[str]
    name: str

    def snapshot(self, now_s: float, source: str = "synthetic") -> PoolSnapshot:
        """Cheap (no work in capacity beyond a vectorised scan), complete, frozen."""
        ...

    def geometry(self) -> Geometry | None:
        """Copies of the per-cell arrays; None for a view without cells of its own."""
        ...

    def residual(self) -> int:
        """Capacity minus the sum of the independent books, O(1); 0 when conserved."""
        ...

    def audit(self) -> None:
        """Compare every book with every other, O(capacity).

        Raises:
            IntegrityError: naming what differs.
        """
        ...

    def clear(self) -> None:
        """Everything free again; generations go on (monotonic by design)."""
        ...


def discover(package: ModuleType, export: str) -> dict[str, Any]:
    """Every module of `package` by name, mapped to its agreed constant `export`.

    Raises:
        ImportError: a module without the constant, named with its path.
    """
    found: dict[str, Any] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda item: item.name):
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        if not hasattr(module, export):
            raise ImportError(f"{module.__file__} must define {export}")
        found[info.name] = getattr(module, export)
    return found
