"""SGLang's own classes where they are installed, else the plain ones."""

import importlib.util
from functools import cache

from benchmarks.peers.peer import Peers
from benchmarks.peers.plain import PlainPeers
from benchmarks.peers.sglang_own import SglangPeers


@cache
def peers() -> Peers:
    """The family that this environment has."""
    return SglangPeers() if is_sglang() else PlainPeers()


def is_sglang() -> bool:
    """Whether this is the environment of `make setup-conformance`."""
    return importlib.util.find_spec("sglang") is not None
