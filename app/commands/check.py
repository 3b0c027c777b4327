"""`poolscope check NAME`: one Nagios line and its exit code, for cron and monitoring."""

import argparse
import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

EXITS = {"ok": 0, "warning": 1, "critical": 2, "unknown": 3}
UNKNOWN = 3
TIMEOUT_S = 10.0
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Flags of `check`."""
    parser = verbs.add_parser("check", help="compare one number of a running server with limits")
    parser.add_argument("name", metavar="NAME", help="for example kv-reclaimable; GET /api/checks")
    parser.add_argument("--warn", metavar="X", help="a number, or a share such as 10%%")
    parser.add_argument("--crit", metavar="Y", help="a number, or a share such as 2%%")
    parser.add_argument("--for", dest="for_s", type=_duration, default=0.0, metavar="30s",
                        help="how long it must have been bad")  # fmt: skip
    parser.add_argument("--host", help="pool host, when there are several")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="the server")
    parser.add_argument("--token-env", metavar="VAR", help="environment variable with the token")
    parser.add_argument("--allow-source", action="store_true",
                        help="accept simulated numbers, not only an attached server's")  # fmt: skip
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """0 ok, 1 warning, 2 critical, 3 unknown: stale, unreachable, or simulated numbers."""
    try:
        found = _fetch(args)
    except (OSError, ValueError) as error:
        print(f"UNKNOWN {args.name} - {_reason(error)}")
        return UNKNOWN
    simulated = found["source"] != "attached" and not args.allow_source
    if simulated and found["status"] != "unknown":
        print(
            f"UNKNOWN {args.name} - {found['text']}, but the source is {found['source']}: add "
            "--allow-source to judge simulated numbers"
        )
        return UNKNOWN
    print(line(found, args.url))
    return EXITS[found["status"]]


def line(found: dict[str, Any], url: str) -> str:
    """Status, value, thresholds, catalog link and performance data."""
    more = f" - {found['text']} on {found['host']}"
    if found["status"] != "unknown":
        side = "below" if found["low"] else "above"
        more += f" (warning {side} {found['warn']:,.6g}, critical {side} {found['crit']:,.6g})"
    if found["status"] in ("warning", "critical") and found["href"]:
        more += f" {url.rstrip('/')}{found['href']}"
    data = ""
    if found["value"] is not None:
        label = found["name"].replace("-", "_")
        data = f" | {label}={found['value']:.10g};{found['warn']:.10g};{found['crit']:.10g}"
    return f"{found['status'].upper()} {found['name']}{more}{data}"


def _fetch(args: argparse.Namespace) -> dict[str, Any]:
    asked = {"warn": args.warn, "crit": args.crit, "for_s": args.for_s, "host": args.host}
    query = urllib.parse.urlencode({k: v for k, v in asked.items() if v is not None})
    name = urllib.parse.quote(args.name, safe="")
    request = urllib.request.Request(f"{args.url.rstrip('/')}/api/checks/{name}?{query}")
    if args.token_env:
        token = os.environ.get(args.token_env)
        if token is None:
            raise ValueError(f"--token-env {args.token_env}: no such variable")
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:
        found: dict[str, Any] = json.load(answer)
        return found


def _reason(error: Exception) -> str:
    if isinstance(error, urllib.error.HTTPError):
        with error:
            try:
                problem = json.load(error)
                return f"{problem['title']}: {problem['detail']}"
            except (ValueError, KeyError):
                return f"HTTP {error.code}"
    return str(getattr(error, "reason", error))


def _duration(text: str) -> float:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r}: give seconds, or 30s, 5m, 1h")
    return float(found[1]) * _SECONDS[found[2]]
