"""One cell of a comparison in a process of its own: `python -P -m app.engine.cell`.

A JSON object on standard input, `{trace, server, limit, change}`; the replay's result, or
`{"problem": ...}`, on standard output. A cell that dies takes no other with it.
"""

import json
import sys
from pathlib import Path
from typing import Any


def main() -> int:
    """0 with a result, 3 with a problem."""
    asked = json.load(sys.stdin)
    try:
        json.dump(run(asked), sys.stdout)
    except (ValueError, OSError) as error:
        json.dump({"problem": str(error)}, sys.stdout)
        return 3
    return 0


def run(asked: dict[str, Any]) -> dict[str, Any]:
    """Replay as asked.

    Raises:
        FlagError, TraceError, OSError: the cell cannot be run.
    """
    import resource

    import torch

    from app.engine.change import Change
    from app.engine.replay import replay
    from app.sizing.server_args import ServerArgs

    torch.set_num_threads(1)
    result = replay(
        Path(asked["trace"]),
        ServerArgs(**asked["server"]),
        limit=asked.get("limit"),
        change=Change(**asked.get("change", {})),
        observe=True,
    )
    result["rss_kib"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return result


if __name__ == "__main__":
    sys.exit(main())
