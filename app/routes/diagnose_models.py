"""Wire models of a diagnosis; `app.diagnose.document` fills them."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from app.catalog.entry import Direction, Severity, Status
from app.diagnose.verdict import CauseClass, Confidence
from app.routes.error_models import ErrorSummary

Numbers = dict[str, int | float | str]


class LogIn(BaseModel):
    """A log as JSON. Plain text and gzip are taken as they are, too."""

    text: str = Field(
        min_length=1,
        examples=["[2026-01-02 03:04:05 TP0] Prefill out of memory. Try to lower your batch size."],
    )


class _Out(BaseModel):
    model_config = ConfigDict(extra="forbid")


class LogVerdict(_Out):
    """The answer in one sentence, and how it was reached."""

    text: str
    code: str | None = Field(description="catalog code of the event it explains")
    cause_class: CauseClass
    flag: str | None
    direction: Direction
    number: float | None = Field(description="value that fits the flag, where the log gives it")
    confidence: Confidence
    how: str = Field(description="formula and inputs, or the words that decide")
    rule: str = Field(examples=["signed-residual"])
    states: str = Field(description="the rule's general statement")


class EvidenceLine(_Out):
    """A line that carries the verdict; private parts are masked."""

    line: int | None = Field(description="from 1; null for figures of an earlier line")
    text: str


class LogRemedy(_Out):
    """One thing to do."""

    text: str
    flag: str | None
    direction: Direction
    number: float | None
    now: str | None = Field(description="the flag's value in this log")
    status: Status
    proof: str
    cost: str
    not_when: str
    seen: str


class RefutedRemedy(_Out):
    """What people try in vain."""

    text: str
    flag: str | None
    direction: Direction
    proof: str


class LogStatement(_Out):
    """Something said about the log, by which rule, and how surely."""

    text: str
    rule: str
    confidence: Confidence
    lines: list[int]


class LogUnknown(_Out):
    """What the log does not tell, and what would settle it."""

    what: str
    settles: str
    line: int | None
    nearest: list[str] = Field(description="catalog codes that may be meant")


class Seen(_Out):
    """Something found in the log; one event however many ranks printed it."""

    numbers: Numbers
    lines: list[int] = Field(description="of its occurrences, the first 20")
    ranks: list[str]
    first_seen: str | None = Field(description="the log's own time")
    times: int
    text: str


class LogEvent(Seen):
    """A catalogued error."""

    code: str
    title: str
    severity: Severity
    href: str
    older_wording: bool


class LogSign(Seen):
    """A recognised line that is no catalogued error."""

    name: str
    says: str
    kind: Literal["fatal", "consequence", "hint"]


class VersionBounds(_Out):
    """The release, as said or as its words allow."""

    exact: str | None
    after: str | None
    before: str | None
    modelled: bool | None = Field(description="the catalog's release; null: cannot tell")


class UsagePoint(_Out):
    """Highest figures of one stretch of time."""

    t: float
    usage_frac: float | None = None
    swa_usage_frac: float | None = None
    mamba_usage_frac: float | None = None
    running: float | None = None
    queued: float | None = None


class LogUsage(_Out):
    """Batch lines over time."""

    readings: int
    width_s: float = Field(description="length of a stretch")
    has_time: bool = Field(description="t is the log's clock; else a count of readings")
    series: list[UsagePoint]


class LogFile(_Out):
    """The file itself."""

    lines: int
    characters: int
    encoding: str
    first_time: str | None
    last_time: str | None
    notes: list[str]


class DiagnosisOut(_Out):
    """A log explained."""

    verdict: LogVerdict
    found: bool = Field(description="something is wrong, as far as the log tells")
    evidence: list[EvidenceLine]
    remedies: list[LogRemedy]
    does_not_help: list[RefutedRemedy]
    statements: list[LogStatement]
    unknown: list[LogUnknown]
    events: list[LogEvent]
    events_left_out: dict[str, int] = Field(
        description="occurrences that were counted only, by code or sign"
    )
    signs: list[LogSign]
    entry: ErrorSummary | None
    engine: str
    version: str | None
    version_bounds: VersionBounds
    flags: dict[str, str]
    startup: dict[str, float]
    usage: LogUsage | None
    log: LogFile
