"""What a fault is; one file each lies in `app/engine/faults/`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that can be brought about on purpose.

    Attributes:
        name: kebab-case, as REST takes it.
        title: a few words for a button.
        look: what it does and what to look at, one or two sentences.
        destructive: whether the run is changed beyond the event, so that a page asks first.
        inject: takes the driver and parameters by name; returns what it did.
    """

    name: str
    title: str
    look: str
    destructive: bool
    inject: Callable[..., dict[str, Any]]

    def describe(self) -> dict[str, Any]:
        """For pages and REST."""
        shown = ("name", "title", "look", "destructive")
        return {key: getattr(self, key) for key in shown}
