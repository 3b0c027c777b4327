"""`poolscope replay TRACE`: drive the real pools with a trace, headless, and account for it."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from app.sizing.flags import add_server_flags, args_from
from app.traces.flags import add_trace_flags, options_from


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Flags of `replay`."""
    parser = verbs.add_parser("replay", help="run a trace through the pools and count everything")
    parser.add_argument("trace", type=Path, metavar="TRACE")
    parser.add_argument("--limit", type=int, help="only the first N accepted rows")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="result as JSON")
    add_trace_flags(parser)
    add_server_flags(parser)
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """0 when all is accounted for, 1 on a violation or a leak, 2 bad flags, 3 bad trace."""
    import torch

    from app.engine.replay import replay
    from app.traces.errors import TraceError
    from pools.device import DeviceUnavailable

    torch.set_num_threads(1)
    if args.limit is not None and args.limit < 1:
        sys.stderr.write(f"poolscope replay: --limit {args.limit}: at least 1\n")
        return 2
    if args.json not in (None, "-") and not _writable(Path(args.json)):
        sys.stderr.write(f"poolscope replay: --json {args.json}: cannot be written there\n")
        return 2
    try:
        result = _with_progress(replay, args)
    except (ValueError, OSError, DeviceUnavailable) as error:
        sys.stderr.write(f"poolscope replay: {error}\n")
        return 3 if isinstance(error, TraceError | OSError) else 2
    _write(result, args.json)
    clean = not result["invariants"]["violations"] and not any(
        pool["leaked"] for pool in result["pools"].values()
    )
    return 0 if clean else 1


def _with_progress(replay: Any, args: argparse.Namespace) -> dict[str, Any]:  # noqa: ANN401
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("replay"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("requests"),
        TextColumn("{task.fields[sim]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("replay", total=None, sim="")

        def advance(done: int, total: int, sim_s: float) -> None:
            bar.update(task, completed=done, total=total, sim=f"{sim_s:,.0f} s simulated")

        server, options = args_from(args), options_from(args)
        result: dict[str, Any] = replay(
            args.trace, server, options, limit=args.limit, progress=advance
        )
    for note in result.get("notes", []):
        sys.stderr.write(f"note: {note}\n")
    return result


def _writable(path: Path) -> bool:
    """Whether the result can be written there: known before a long run, not after."""
    if path.exists():
        return path.is_file() and os.access(path, os.W_OK)
    return path.parent.is_dir() and os.access(path.parent, os.W_OK)


def _write(result: dict[str, Any], target: str | None) -> None:
    text = json.dumps(result, indent=2)
    if target is None:
        from app.engine.replay import summarize

        sys.stdout.write(summarize(result) + "\n")
    elif target == "-":
        sys.stdout.write(text + "\n")
    else:
        Path(target).write_text(text + "\n")
