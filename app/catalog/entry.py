"""What the catalog says about one error. Words between backticks are flags, names or code."""

from dataclasses import dataclass, field
from typing import Literal

Severity = Literal["critical", "error", "warning"]
Phase = Literal["startup", "runtime"]
Reach = Literal["operator", "developer", "invariant"]
Origin = Literal["sglang", "poolscope"]
Direction = Literal["raise", "lower", "none"]
Status = Literal["proved", "avoids", "refuted", "unproved"]

#: worst first
SEVERITIES: dict[Severity, str] = {
    "critical": "stops the server, or keeps it from starting",
    "error": "one request or one call fails, the server goes on",
    "warning": "degraded, or recovered without help",
}
PHASES: dict[Phase, str] = {
    "startup": "while the server starts",
    "runtime": "while the server runs",
}
REACHES: dict[Reach, str] = {
    "operator": "configuration, load or a client's input can cause it",
    "developer": "an internal caller or a plug-in broke a contract",
    "invariant": "a bug detector that should never fire",
}
ORIGINS: dict[Origin, str] = {
    "sglang": "SGLang raises or logs it; Poolscope's pools mirror it",
    "poolscope": "Poolscope's own checks raise it",
}
STATUSES: dict[Status, str] = {
    "proved": "a test ran the same cause with the same requests, and nothing failed",
    "avoids": "a test showed that it works, by taking less work in",
    "refuted": "tried or read in the source, and it does not help",
    "unproved": "plausible, but no test has run it",
}
SGLANG_VERSION = "0.5.23"
SGLANG = "https://github.com/sgl-project/sglang"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A place in the code that has a part in the error, described without quoting it.

    Attributes:
        path: from the root of the upstream repository (`python/sglang/…`) or of this one.
        function: qualified name within the file.
        description: what the code there does.
        line: in `version`; None when the whole function is meant.
        version: release that was read.
        also: where other versions have it.
    """

    path: str
    function: str
    description: str
    line: int | None = None
    version: str = SGLANG_VERSION
    also: str = ""

    @property
    def url(self) -> str | None:
        """The place on GitHub, for upstream code."""
        if not self.path.startswith("python/sglang/"):
            return None
        anchor = f"#L{self.line}" if self.line else ""
        return f"{SGLANG}/blob/v{self.version}/{self.path}{anchor}"


@dataclass(frozen=True, slots=True)
class Flag:
    """A server flag or environment name that bears on the error, and which way to turn it."""

    name: str
    direction: Direction
    effect: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A number or name within the message, under the name that events and matches use."""

    name: str
    meaning: str
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """Something people do about the error, helpful or not.

    Attributes:
        status: see `STATUSES`.
        key: kebab-case, unique within the entry; names the remedy in `app/catalog/proofs/`. A
            remedy with a key that `poolscope prove` runs carries the status that the run computes.
        proof: what ran and what it counted, or the figures that refute it. May be empty for
            `unproved`, and where the remedy has a key: the run says it.
        reason: why no test has run it, for `unproved`.
        cost: what it takes or gives up.
        not_when: when it does not apply.
        seen: what the field confirmed (a merged change, a report).
    """

    text: str
    status: Status = "unproved"
    direction: Direction = "none"
    flag: str | None = None
    key: str = ""
    proof: str = ""
    reason: str = ""
    cost: str = ""
    not_when: str = ""
    seen: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that is written about the error elsewhere, and what was found."""

    text: str
    finding: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEntry:
    """One error. `message` is upstream's template, verbatim; `line` is how a log prints it.

    Attributes:
        code: kebab-case, never changes.
        id: 16 hex digits, never changes.
        title: a few words.
        verdict: one sentence: what ran out and which way to turn what.
        line: `message` with named holes, in the language of `app.catalog.template`; empty when
            `message` has no holes.
        also: other wordings of the first line (older releases, variants), in the same language.
        details: regular expressions with named groups that read the lines after the first.
        pool: kind of the pool, or the part of the server.
        figures: the holes of `line`, explained.
        here: how Poolscope's own pools differ.
        fault: name of the fault that makes a running Poolscope raise it.
        reports: public threads, as owner/repository#number.
        proven: a test reproduces it and runs at least one remedy.
    """

    code: str
    id: str
    title: str
    verdict: str
    severity: Severity
    exception: str
    message: str
    pool: str
    reach: Reach
    meaning: str
    trigger: str
    source: tuple[Source, ...]
    line: str = ""
    also: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    phase: Phase = "runtime"
    origin: Origin = "sglang"
    figures: tuple[Figure, ...] = ()
    flags: tuple[Flag, ...] = ()
    situations: tuple[str, ...] = ()
    remedies: tuple[Remedy, ...] = ()
    claims: tuple[Claim, ...] = ()
    example_before: str = ""
    example_after: str = ""
    here: str = ""
    fault: str | None = None
    related: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    proven: bool = field(default=False)

    @property
    def printed(self) -> str:
        """The line as a log prints it, holes named."""
        return self.line or self.message

    @property
    def href(self) -> str:
        """The page of this entry."""
        return f"/errors/{self.code}"
