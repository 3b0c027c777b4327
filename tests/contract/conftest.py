"""One running server per module."""

from collections.abc import Iterator

import pytest

from tests.contract.server import SMALL, Server, serve


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serve(tmp_path_factory.mktemp("server"), *SMALL, "--scenario", "steady") as running:
        yield running
