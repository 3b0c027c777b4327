"""`poolscope compare TRACE --page-size 1,16,64 ...`: settings side by side on the real pools."""

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import Any

from app.sizing.flags import add_server_flags, args_from
from app.sizing.server_args import ServerArgs


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Flags of `compare`; those of the server take lists too."""
    parser = verbs.add_parser("compare", help="run a trace under several settings, side by side")
    parser.add_argument("trace", type=Path, metavar="TRACE")
    parser.add_argument("--limit", type=int, help="only the first N accepted rows")
    parser.add_argument("--max-seconds", type=float, help="wall time for the cells")
    parser.add_argument("--json", nargs="?", const="-", metavar="FILE", help="result as JSON")
    parser.add_argument("--html", type=Path, metavar="FILE", help="a report as one HTML file")
    parser.set_defaults(run=run, parser=parser, takes_rest=True, rest=[])


def run(args: argparse.Namespace) -> int:
    """0 with a recommendation, 1 when no cell could be run, 2 bad flags, 3 bad trace."""
    from app.compare.comparison import compare
    from app.compare.grid import GridError, cells_of
    from app.compare.runner import Runner
    from app.traces.errors import TraceError
    from app.traces.recognise import recognise

    try:
        base, lists = split(args.rest)
        cells = cells_of(base, lists)
        recognise(args.trace)
    except GridError as error:
        sys.stderr.write(f"poolscope compare: {error}\n")
        return 2
    except (TraceError, OSError) as error:
        sys.stderr.write(f"poolscope compare: {error}\n")
        return 3
    runner = Runner(args.trace, limit=args.limit, max_seconds=args.max_seconds)
    result = compare(runner, cells, _say if sys.stderr.isatty() else None)
    if args.html:
        from app.compare.report import html

        command = shlex.join(["poolscope", "compare", args.trace.name, *args.rest])
        args.html.write_text(html(result, args.trace, command))
        sys.stderr.write(f"report: {args.html}\n")
    _write(result.as_dict(), args.json)
    return 0 if result.chosen is not None else 1


def split(rest: list[str]) -> tuple[ServerArgs, dict[str, list[str]]]:
    """Server flags with one value, and those with several, as typed.

    Raises:
        GridError: a word that is no server flag, or a flag without its value.
    """
    from app.compare.grid import GridError, parsed

    single = argparse.ArgumentParser(add_help=False, exit_on_error=False)
    add_server_flags(single)
    known = {flag: action for action in single._actions for flag in action.option_strings}
    plain: list[str] = []
    lists: dict[str, list[str]] = {}
    words = iter(word for one in rest for word in one.split("=", 1))
    for word in words:
        if word not in known:
            parsed(word, "")
            raise GridError(f"{word!r} is no server flag")
        if known[word].nargs == 0:
            plain.append(word)
            continue
        value = next(words, None)
        if value is None:
            raise GridError(f"{word}: a value is missing")
        if "," in value:
            lists[word] = [part for part in value.split(",") if part]
        else:
            plain += [word, value]
    try:
        return args_from(single.parse_args(plain)), lists
    except argparse.ArgumentError as error:
        raise GridError(str(error)) from error


def _say(done: int, total: int) -> None:
    end = "\n" if done == total else ""
    sys.stderr.write(f"\r{done} of {total} cells{end}")
    sys.stderr.flush()


def _write(result: dict[str, Any], target: str | None) -> None:
    if target is None:
        sys.stdout.write(_table(result))
    elif target == "-":
        sys.stdout.write(json.dumps(result, indent=2) + "\n")
    else:
        Path(target).write_text(json.dumps(result, indent=2) + "\n")
        sys.stderr.write(f"result: {target}\n")


def _table(result: dict[str, Any]) -> str:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    names = ("flags", "binds", "first s", "peak", "wait p95 s", "retracted", "page waste", "hits")
    for name in names:
        table.add_column(name, justify="left" if name in ("flags", "binds") else "right")
    recommended = (result["recommended"] or {}).get("flags")
    for row in result["cells"]:
        flags = " ".join(f"{name} {value}" for name, value in row["flags"].items()) or "defaults"
        mark = "[bold]> [/bold]" if row["flags"] == recommended else "  "
        table.add_row(mark + flags, *_figures(row))
    console = Console(width=140, highlight=False)
    with console.capture() as captured:
        console.print(result["summary"] + "\n")
        console.print(table)
        for one in result["robustness"]:
            console.print(f"  {one['change']:<18} {one['verdict']}")
    return captured.get()


def _figures(row: dict[str, Any]) -> tuple[str, ...]:
    if "problem" in row:
        return (row["problem"],)
    first, hits = row["first_bind_s"], row["prefix_hit_frac"]
    return (
        row["binding_limit"],
        "-" if first is None else f"{first:,.1f}",
        f"{row['peak_running']:,}",
        f"{row['queue_wait_s']['p95']:,.2f}",
        f"{row['retracted']:,}",
        f"{row['page_waste_tokens_peak']:,}",
        "-" if hits is None else f"{hits:.1%}",
    )
