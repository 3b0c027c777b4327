"""Entry of the pool host process: `python -P -m app.host --connect URL`.

The token comes in the environment, the configuration in an argument. With `--watch-parent` the
process holds the read end of a pipe (its standard input) and ends when the parent does, so that a
killed web process leaves no orphan.
"""

import argparse
import os
import sys
import threading

from app.host.config import HostConfig

TOKEN_ENV = "POOLSCOPE_HOST_TOKEN"


def main(argv: list[str] | None = None) -> int:
    """Run a pool host until it is told to stop, or its parent is gone."""
    parser = argparse.ArgumentParser(prog="app.host", description=__doc__)
    parser.add_argument("--connect", required=True)
    parser.add_argument("--config", required=True)
    parser.add_argument("--watch-parent", action="store_true")
    args = parser.parse_args(argv)
    if args.watch_parent:
        threading.Thread(target=_end_with_parent, name="parent-watch", daemon=True).start()
    return serve(args.connect, os.environ.get(TOKEN_ENV, ""), HostConfig.from_json(args.config))


def serve(url: str, token: str, config: HostConfig) -> int:
    """Build the pools and run the loop; returns an exit code."""
    import torch

    from app.host.lab_loop import LabLoop
    from app.host.loop import HostLoop
    from pools.device import DeviceUnavailable

    # Two threads make torch's small operations wait for a scheduler quantum.
    torch.set_num_threads(1)
    try:
        loop = (LabLoop if config.lab else HostLoop)(config, url, token)
    except (OSError, ValueError, DeviceUnavailable) as error:
        sys.stderr.write(f"poolscope host: {error}\n")
        return 3
    try:
        loop.run()
    except KeyboardInterrupt:
        return 0
    return 0


def _end_with_parent() -> None:
    # Read the descriptor itself: a buffered read holds a lock that interpreter exit waits for.
    while os.read(0, 4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
