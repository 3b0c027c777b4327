"""Causes by error, one file each with the constant CAUSES, named after the error's code."""

import functools
import sys
from pathlib import Path

from app.catalog.cause import Cause
from pools.base import discover


@functools.cache
def all_causes() -> dict[str, tuple[Cause, ...]]:
    """Every error whose causes can be reproduced here, by code."""
    found: dict[str, tuple[Cause, ...]] = discover(sys.modules[__name__], "CAUSES")
    return {module.replace("_", "-"): causes for module, causes in found.items()}


def causes_of(code: str) -> tuple[Cause, ...]:
    """Causes of one error; none when it cannot be reproduced here."""
    return all_causes().get(code, ())


def source_of(code: str) -> str:
    """The file of an error's causes, for its content hash; empty when there is none."""
    path = Path(__file__).with_name(f"{code.replace('-', '_')}.py")
    return path.read_text(encoding="utf-8") if path.is_file() else ""
