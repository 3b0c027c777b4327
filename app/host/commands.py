"""What a hub may ask of a pool host. A handler checks its arguments before it changes anything."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.host.config import parse_speed
from app.nearest import nearest

if TYPE_CHECKING:
    from app.host.loop import HostLoop

Args = dict[str, Any]
Handler = Callable[[Any, Args], Args]
#: a host hears nothing else while it steps
MAX_STEPS = 1_000


class CommandError(ValueError):
    """A command refused; `title` is constant per kind of refusal, the text says what to do."""

    def __init__(self, title: str, detail: str) -> None:
        super().__init__(detail)
        self.title = title


def run(loop: "HostLoop", name: str, args: Args) -> Args:
    """Carry out one command.

    Raises:
        CommandError: unknown command or bad arguments; nothing has changed.
    """
    handler = loop.handlers.get(name)
    if handler is None:
        known = ", ".join(sorted(loop.handlers))
        raise CommandError("Unknown command", f"{name!r} is none of {known}")
    if not isinstance(args, dict):
        raise CommandError("Bad arguments", f"args must be an object of names, got {args!r:.80}")
    accepted = FIELDS.get(name, tuple(args))
    for field in args:
        if field not in accepted:
            takes = f"{name} takes {', '.join(accepted)}" if accepted else f"{name} takes none"
            raise CommandError("Unknown field", f"{field!r} is no field of {name}: {takes}")
    return handler(loop, args)


def _pause(loop: "HostLoop", args: Args) -> Args:
    loop.paused = True
    return loop.pacing()


def _resume(loop: "HostLoop", args: Args) -> Args:
    loop.resume()
    return loop.pacing()


def _step(loop: "HostLoop", args: Args) -> Args:
    steps = args.get("steps", 1)
    if type(steps) is not int or not 1 <= steps <= MAX_STEPS:
        raise CommandError(
            "Bad steps", f"steps must be an integer in 1..{MAX_STEPS}, got {steps!r}"
        )
    loop.paused = True
    done = loop.advance(steps)
    return {**loop.pacing(), "steps": done}


def _speed(loop: "HostLoop", args: Args) -> Args:
    try:
        loop.set_speed(parse_speed(args.get("x")))
    except ValueError as error:
        raise CommandError("Bad speed", str(error)) from error
    return loop.pacing()


def _restart(loop: "HostLoop", args: Args) -> Args:
    loop.rebuild(loop.workload_choice)
    return loop.pacing()


def _scenario(loop: "HostLoop", args: Args) -> Args:
    from app.engine.scenarios import scenario_names

    name = args.get("scenario")
    if name not in scenario_names():
        names = ", ".join(scenario_names())
        hint = _meant(name, scenario_names())
        raise CommandError("Unknown scenario", f"scenario {name!r} is none of {names}{hint}")
    loop.rebuild(("scenario", str(name)))
    return loop.pacing()


def _load(loop: "HostLoop", args: Args) -> Args:
    path = trace_path(loop.config.trace_dir, args.get("trace"))
    loop.rebuild(("trace", str(path)))
    return loop.pacing()


def _inject(loop: "HostLoop", args: Args) -> Args:
    from app.engine.faults import fault_names

    params = dict(args)
    fault = params.pop("fault", None)
    if fault not in fault_names():
        names = ", ".join(fault_names())
        hint = _meant(fault, fault_names())
        raise CommandError("Unknown fault", f"fault {fault!r} is none of {names}{hint}")
    try:
        result = loop.driver.inject(str(fault), **params)
    except (TypeError, ValueError, OverflowError) as error:
        raise CommandError("Bad fault parameters", f"{fault}: {error}") from error
    return {"fault": fault, **(result or {})}


def _requests(loop: "HostLoop", args: Args) -> Args:
    limit = args.get("limit", 50)
    if type(limit) is not int or not 1 <= limit <= 1000:
        raise CommandError("Bad limit", f"limit must be an integer in 1..1000, got {limit!r}")
    return {"items": loop.driver.requests(limit)}


def _meant(name: object, known: Iterable[str]) -> str:
    close = nearest(str(name), known)
    return f"; did you mean {close!r}?" if close else ""


def trace_path(trace_dir: Path | None, name: object) -> Path:
    """The file that a trace name stands for, inside the trace folder and nowhere else.

    Raises:
        CommandError: no folder, a path instead of a name, or no such file.
    """
    if trace_dir is None:
        raise CommandError("No trace folder", "start the server with --trace-dir FOLDER first")
    folder = trace_dir.resolve()
    try:
        path = (folder / str(name)).resolve()
        known = bool(name) and path.is_relative_to(folder) and path.is_file()
    except (OSError, ValueError):
        # A name no file can have: too long, or with characters that paths do not take.
        known = False
    if not known:
        raise CommandError(
            "Unknown trace",
            f"{name!r:.120} is no file in the trace folder; GET /api/workload lists them",
        )
    return path


#: what the body of a command may hold; a fault, and what a lab adds, takes parameters of its own
FIELDS = {
    "step": ("steps",),
    "speed": ("x",),
    "scenario": ("scenario",),
    "load": ("trace",),
    "requests": ("limit",),
    **dict.fromkeys(("pause", "resume", "restart"), ()),
}
HANDLERS: dict[str, Handler] = {
    "pause": _pause,
    "resume": _resume,
    "step": _step,
    "speed": _speed,
    "restart": _restart,
    "scenario": _scenario,
    "load": _load,
    "inject": _inject,
    "requests": _requests,
}
