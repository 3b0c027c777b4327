"""What a condition is; one file each lies in `app/engine/conditions/`.

A fault happens once, to a server that runs. A condition is there from the start: a holder that the
gate does not see, or a rule that the code gets wrong. Together with ordinary requests it makes the
engine fail as serving does, so that a remedy can be tried on the cause.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that a server has, or does wrong, before the first request comes.

    Attributes:
        name: kebab-case.
        text: one sentence, for people.
        set_up: takes a driver that has not stepped yet, and parameters by name.
    """

    name: str
    text: str
    set_up: Callable[..., None]
