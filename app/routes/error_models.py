"""Wire models of the catalog's answers; `app.catalog.document` fills them."""

from pydantic import BaseModel, ConfigDict, Field

from app.catalog.entry import (
    Claim,
    Direction,
    Figure,
    Flag,
    Origin,
    Phase,
    Reach,
    Severity,
    Status,
)


class ErrorSummary(BaseModel):
    """One error as lists show it."""

    model_config = ConfigDict(extra="forbid")

    code: str = Field(examples=["alloc-req-slots-exhausted"])
    id: str = Field(pattern="^[0-9a-f]{16}$", examples=["5005b2b87598a62d"])
    project: str = Field(examples=["sgl-project/sglang"])
    title: str
    verdict: str = Field(description="what ran out and which way to turn what, in one sentence")
    severity: Severity
    exception: str
    message: str = Field(description="upstream's template, verbatim")
    pool: str = Field(description="kind of the pool, or the part of the server")
    phase: Phase
    reach: Reach
    origin: Origin
    proven: bool = Field(description="a test reproduces it and runs at least one remedy")
    href: str = Field(description="its page")
    api: str = Field(description="its JSON")


class RemedyOut(BaseModel):
    """Something people do about it; `refuted` does not help and is kept for that reason."""

    model_config = ConfigDict(extra="forbid")

    text: str
    status: Status
    direction: Direction
    flag: str | None
    key: str = Field(description="names it for POST /api/errors/{code}/try")
    proof: str
    reason: str = Field(description="why no test has run it")
    cost: str
    not_when: str
    seen: str = Field(description="what the field confirmed")


class SourceOut(BaseModel):
    """A place in the code, described without quoting it."""

    model_config = ConfigDict(extra="forbid")

    path: str
    function: str
    description: str
    line: int | None
    version: str
    also: str
    url: str | None


class ReportOut(BaseModel):
    """A public thread."""

    name: str = Field(examples=["sgl-project/sglang#10408"])
    href: str


class TriedOut(BaseModel):
    """How a remedy came out under one cause."""

    remedy: str = Field(description="key of the remedy")
    status: Status
    why: str


class CauseOut(BaseModel):
    """A cause that Poolscope reproduces."""

    name: str = Field(examples=["leaked-rows"])
    title: str
    setting: str = Field(description="what is set up and offered")
    message: str = Field(description="what was raised")
    offered: int | None
    finished: int | None
    tries: list[TriedOut]


class ProofOut(BaseModel):
    """The last recorded run of `poolscope prove`."""

    version: str | None = Field(description="of Poolscope, then")
    proven: str | None = Field(description="hash of what was proven")
    content: str = Field(description="hash of what the entry says now; differs when it changed")
    causes: list[CauseOut]


class ErrorOut(ErrorSummary):
    """Everything the catalog says about one error."""

    meaning: str
    trigger: str
    situations: list[str]
    remedies: list[RemedyOut]
    flags: list[Flag]
    claims: list[Claim] = Field(description="what is written elsewhere, and what was found")
    example_before: str
    example_after: str
    line: str = Field(description="the message as a log prints it, numbers named")
    patterns: list[str] = Field(description="regular expressions, today's wording first")
    figures: list[Figure]
    source: list[SourceOut]
    here: str = Field(description="how Poolscope's own pools differ")
    fault: str | None = Field(description="fault that makes a running Poolscope raise it")
    proof: ProofOut | None = Field(description="null when Poolscope cannot reproduce the error")
    related: list[ErrorSummary]
    reports: list[ReportOut]


class ErrorPage(BaseModel):
    """Errors, worst severity first."""

    items: list[ErrorSummary]
    total: int
    next: int | None = None


class MatchIn(BaseModel):
    """A line, or a whole log."""

    text: str = Field(
        min_length=1,
        max_length=4_000_000,
        examples=["Prefill out of memory. Try to lower your batch size."],
    )


class MatchOut(ErrorSummary):
    """An error recognised in a text."""

    numbers: dict[str, int | float | str]
    line: int = Field(description="of the first occurrence, from 1")
    text: str = Field(description="the words that matched")
    times: int = Field(description="occurrences with the same numbers")


class MatchPage(BaseModel):
    """Errors in a text, in order of first appearance."""

    items: list[MatchOut]
    total: int
    next: int | None = None
    nearest: list[ErrorSummary] = Field(description="guesses, when nothing matched")
