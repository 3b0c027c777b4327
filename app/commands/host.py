"""`poolscope host --connect URL`: a second pool host for a hub that runs already."""

import argparse
import os
import sys
from pathlib import Path

from app.sizing.flags import add_server_flags, args_from
from app.sizing.server_args import FlagError
from app.traces.flags import add_trace_flags, options_from


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Flags of `host`."""
    parser = verbs.add_parser("host", help="join another pool host to a running server")
    parser.add_argument("--connect", required=True, metavar="URL", help="http://127.0.0.1:8000")
    parser.add_argument("--token-file", type=Path, metavar="F", help="the server's host token")
    parser.add_argument("--name", default=f"host-{os.getpid()}", help="how pages call it")
    add_workload_flags(parser)
    add_server_flags(parser)
    parser.set_defaults(run=run, parser=parser)


def add_workload_flags(parser: argparse.ArgumentParser) -> None:
    """What drives the pools, for `serve` and `host`."""
    parser.add_argument("--scenario", help="synthetic workload to run (default first-minute)")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="replay this trace instead")
    add_trace_flags(parser)
    parser.add_argument("--speed", default="1", help='simulated s per wall s, or "max"')


def chosen_scenario(args: argparse.Namespace) -> str:
    """The scenario to run.

    Raises:
        ValueError: no such scenario, or a trace beside it.
    """
    from app.engine.scenarios import scenario
    from app.host.config import DEFAULT_SCENARIO

    if args.scenario and args.trace:
        raise ValueError("--scenario and --trace: give one of them")
    return scenario(args.scenario or DEFAULT_SCENARIO).name


def run(args: argparse.Namespace) -> int:
    """Serve frames until interrupted."""
    from app.host.__main__ import serve
    from app.host.config import HostConfig, parse_speed
    from app.hub.hub import LAB

    if args.name == LAB:
        sys.stderr.write(f"poolscope host: --name {LAB} is taken by the server's own lab\n")
        return 2
    try:
        config = HostConfig(
            name=args.name,
            server=args_from(args),
            scenario=chosen_scenario(args),
            trace=args.trace,
            reading=options_from(args),
            trace_dir=args.trace.parent if args.trace else None,
            speed=parse_speed(args.speed),
        )
        token = args.token_file.read_text().strip() if args.token_file else ""
        url = websocket_url(args.connect)
    except (FlagError, ValueError, OSError) as error:
        sys.stderr.write(f"poolscope host: {error}\n")
        return 2
    sys.stderr.write(f"poolscope host {args.name}: connecting to {url}\n")
    return serve(url, token, config)


def websocket_url(url: str) -> str:
    """The ingest address behind a server's address.

    Raises:
        ValueError: not a http(s) or ws(s) address.
    """
    scheme, _, rest = url.partition("://")
    mapped = {"http": "ws", "https": "wss", "ws": "ws", "wss": "wss"}.get(scheme)
    if mapped is None or not rest:
        raise ValueError(f"--connect {url}: give the server's address, http://127.0.0.1:8000")
    base = f"{mapped}://{rest.rstrip('/')}"
    return base if base.endswith("/ws/host") else f"{base}/ws/host"
