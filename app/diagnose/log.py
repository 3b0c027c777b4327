"""A log as read: everything that rules may ask about it."""

from dataclasses import dataclass, field

from app.diagnose.batch import Reading, Usage
from app.diagnose.fold import Event, Events
from app.diagnose.stamp import Stamp
from app.diagnose.startup import Startup
from app.diagnose.version import Version

MAX_STRANGERS = 20
#: lines beside the events' own that are kept to be shown
MAX_KEPT_LINES = 100


@dataclass(slots=True)
class Stranger:
    """An exception that neither the catalog nor the signs know.

    Attributes:
        fatal: it stands under the scheduler's own head, so it ended a scheduler.
    """

    text: str
    line: int
    stamp: Stamp
    fatal: bool
    times: int = 1


@dataclass(slots=True)
class Log:
    """What was found.

    Attributes:
        engines: lines that only another engine's log has, by engine.
        deaths: lines of heads under which a scheduler prints its last traceback.
        notes: what was odd about the file itself.
        kept: lines that figures or bounds were read from, masked, by number.
    """

    events: Events = field(default_factory=Events)
    startup: Startup = field(default_factory=Startup)
    usage: Usage = field(default_factory=Usage)
    version: Version = field(default_factory=Version)
    strangers: list[Stranger] = field(default_factory=list)
    strangers_left_out: int = 0
    strangers_read: int = 0
    engines: dict[str, int] = field(default_factory=dict)
    deaths: list[int] = field(default_factory=list)
    first_time: str | None = None
    last_time: str | None = None
    lines: int = 0
    chars: int = 0
    encoding: str = "utf-8"
    notes: list[str] = field(default_factory=list)
    kept: dict[int, str] = field(default_factory=dict)

    @property
    def engine(self) -> str:
        """Whose log it is: SGLang's own words count most, since others' parts run inside it."""
        coded = any(event.code for event in self.events.items)
        own = (
            coded
            or bool(self.version.words)
            or any(reading.kind != "step" for reading in self.usage.by_rank.values())
        )
        return "sglang" if own else next(iter(self.engines), "sglang")

    @property
    def strangers_fatal(self) -> list[Stranger]:
        """Unknown exceptions that ended a scheduler."""
        return [one for one in self.strangers if one.fatal]

    def find(self, name: str) -> Event | None:
        """The first event of a code or sign."""
        found = self.events.by_name.get(name)
        return found[0] if found else None

    def before(self, event: Event) -> Reading | None:
        """What a batch line said last before the event, by the same rank if it printed any."""
        return event.first.before

    def keep(self, line: int, text: str) -> None:
        """Remember a line to show as evidence."""
        if len(self.kept) < MAX_KEPT_LINES:
            self.kept.setdefault(line, text)

    def stranger(self, text: str, line: int, stamp: Stamp, *, fatal: bool) -> None:
        """Note an unknown exception once per wording."""
        for known in self.strangers:
            if known.text == text:
                known.times += 1
                known.fatal = known.fatal or fatal
                return
        if len(self.strangers) < MAX_STRANGERS:
            self.strangers.append(Stranger(text, line, stamp, fatal))
        else:
            self.strangers_left_out += 1
