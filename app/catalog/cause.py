"""A named cause of an error, as a case that has it, and the remedies that are tried on it."""

from collections.abc import Callable
from dataclasses import dataclass

from app.catalog.lab import BuildCase, Case, Lab, Observation, ServerCase

#: from the case that fails and what was seen of it to the case with the remedy, or to several
Change = Callable[[Case, Observation], Case | tuple[Case, ...]]


@dataclass(frozen=True, slots=True)
class Try:
    """A remedy of the entry, by its key, and what it changes about the case.

    With several changed cases the remedy is tried at several values; the best outcome counts, so
    that `refuted` means: at none of them.
    """

    remedy: str
    change: Change

    def cases(self, case: Case, before: Observation) -> tuple[Case, ...]:
        """The case with the remedy taken."""
        changed = self.change(case, before)
        return changed if isinstance(changed, tuple) else (changed,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """Why an error happens, not how it looks.

    Attributes:
        name: kebab-case, unique within the error.
        title: the cause in a few words.
        setting: what is set up and offered, with its numbers, in one or two sentences.
        case: the small server, or the pool, that has the cause.
        tries: remedies that are meant for this cause, or that people try on it.
    """

    name: str
    title: str
    setting: str
    case: Case
    tries: tuple[Try, ...] = ()

    def reproduce(self, lab: Lab, code: str) -> Observation:
        """Run the case that has the cause of the error `code`."""
        return lab.run(self.case, code)


def server(change: Callable[[ServerCase], ServerCase | tuple[ServerCase, ...]]) -> Change:
    """A change of a server case that needs nothing of what was seen."""

    def changed(case: Case, before: Observation) -> Case | tuple[Case, ...]:
        if not isinstance(case, ServerCase):
            raise TypeError(f"made for a ServerCase, got {type(case).__name__}")
        return change(case)

    return changed


def build(change: Callable[[BuildCase], BuildCase | tuple[BuildCase, ...]]) -> Change:
    """A change of a build case."""

    def changed(case: Case, before: Observation) -> Case | tuple[Case, ...]:
        if not isinstance(case, BuildCase):
            raise TypeError(f"made for a BuildCase, got {type(case).__name__}")
        return change(case)

    return changed
