"""`poolscope serve`: the pages, with a pool host of their own."""

import argparse
import errno
import os
import secrets
import socket
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from app.commands.host import add_workload_flags, chosen_scenario
from app.sizing.flags import add_server_flags, args_from
from app.sizing.server_args import FlagError
from app.traces.flags import options_from

if TYPE_CHECKING:
    from fastapi import FastAPI

    from app.settings import Settings

WS_MAX_BYTES = 2 << 20


def add_parser(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Flags of `serve`."""
    parser = verbs.add_parser("serve", help="start the dashboard")
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="bind address")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--token", help="needed by every page and call when set")
    parser.add_argument("--generate-token", action="store_true", help="make one and print it")
    parser.add_argument("--read-only", action="store_true", help="nothing can be changed")
    parser.add_argument("--no-pool-host", action="store_true", help="only remote hosts")
    parser.add_argument("--data-dir", type=Path, help="state folder (XDG state folder if unset)")
    parser.add_argument("--trace-dir", type=Path, help="folder whose traces the page offers")
    add_workload_flags(parser)
    add_server_flags(parser)
    parser.set_defaults(run=run, parser=parser)


def run(args: argparse.Namespace) -> int:
    """Serve until interrupted; 2 when flags or port cannot be used, 3 for a bad trace."""
    from app.settings import SettingsError, bracketed
    from app.traces.errors import TraceError

    try:
        settings = _settings(args)
        listener = _listen(settings.bind, settings.port)
    except (FlagError, SettingsError, ValueError, OSError) as error:
        sys.stderr.write(f"poolscope serve: {error}\n")
        return 3 if isinstance(error, TraceError) else 2
    try:
        app = _app(settings)
        token_file = _write_host_token(settings)
    except (OSError, RuntimeError, sqlite3.Error) as error:
        listener.close()
        sys.stderr.write(f"poolscope serve: data folder {settings.data_dir}: {error}\n")
        return 2
    address = f"http://{bracketed(settings.bind)}:{settings.port}/"
    shown = f"{address}?token={settings.token}" if settings.token else address
    sys.stderr.write(
        f"Poolscope on {shown}\n"
        f"join another host: poolscope host --connect {address} --token-file {token_file}\n"
    )
    return _serve(app, listener)


def _settings(args: argparse.Namespace) -> "Settings":
    from app.host.config import HostConfig, parse_speed
    from app.settings import Settings, SettingsError
    from app.sizing.plan import resolve
    from app.traces.check import check_overrides
    from app.traces.recognise import recognise

    server = args_from(args)
    name = chosen_scenario(args)
    _refuse_contradictions(args)
    resolve(server)  # flags that cannot work are refused here, not in the host
    for flag, path, kind in (
        ("--trace", args.trace, "file"),
        ("--trace-dir", args.trace_dir, "dir"),
    ):
        if path is not None and not (path.is_file() if kind == "file" else path.is_dir()):
            raise SettingsError(f"{flag} {path}: no such {'file' if kind == 'file' else 'folder'}")
    trace = args.trace.resolve() if args.trace else None
    reading = options_from(args)
    if trace is not None:
        check_overrides(trace, recognise(trace, reading), reading)
    folder = args.trace_dir or (trace.parent if trace else None)
    host = HostConfig(
        server=server,
        scenario=name,
        trace=trace,
        reading=reading,
        trace_dir=folder.resolve() if folder else None,
        speed=parse_speed(args.speed),
    )
    token = secrets.token_urlsafe(24) if args.generate_token else args.token
    return Settings(
        bind=args.host,
        port=args.port,
        token=token,
        read_only=args.read_only,
        host=host,
        run_host=not args.no_pool_host,
        data_dir=_state_folder(args.data_dir),
    )


def _refuse_contradictions(args: argparse.Namespace) -> None:
    from app.settings import SettingsError

    if args.no_pool_host and (args.trace or args.scenario):
        raise SettingsError("--no-pool-host: there is no host for --trace or --scenario to run in")
    if args.token is not None and args.generate_token:
        raise SettingsError("--token and --generate-token: give one of them")


def _listen(bind: str, port: int) -> socket.socket:
    """A bound socket, so that a taken port is one clear line.

    Raises:
        OSError: the port is taken, or the address is not this machine's.
    """
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((bind, port))
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise OSError(
                f"port {port} on {bind} is taken, perhaps by another poolscope; "
                f"stop it or choose --port {port + 1}"
            ) from error
        raise OSError(f"cannot bind to {bind}:{port}: {error.strerror}") from error
    return listener


def _state_folder(data_dir: Path | None) -> Path:
    """Where what must survive is kept: --data-dir, else the XDG state folder."""
    if data_dir is not None:
        return data_dir
    return Path(os.environ.get("XDG_STATE_HOME", Path.home() / ".local/state")) / "poolscope"


def _write_host_token(settings: "Settings") -> Path:
    path = (settings.data_dir or Path()) / f"host-token-{settings.port}"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(settings.host_token + "\n")
    return path


def _app(settings: "Settings") -> "FastAPI":
    """The application; its data folder is made.

    Raises:
        OSError, RuntimeError, sqlite3.Error: the data folder cannot be used.
    """
    from app.main import create_app

    if settings.data_dir is not None:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    return create_app(settings)


def _serve(app: "FastAPI", listener: socket.socket) -> int:
    import uvicorn

    config = uvicorn.Config(
        app,
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        ws_max_size=WS_MAX_BYTES,
        log_level="warning",
        timeout_graceful_shutdown=2,
        server_header=False,
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        return 0
    return 0
