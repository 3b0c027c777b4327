"""A running server and a tab of headless Chromium that notes what goes wrong in it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.contract.server import SMALL, Server, serve

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, chromium: str) -> Iterator[Server]:
    with serve(tmp_path_factory.mktemp("browser"), *SMALL, "--scenario", "steady") as running:
        yield running


@pytest.fixture
def page(server: Server, chromium: str) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        tab = browser.new_page(viewport={"width": 1500, "height": 940})
        tab.problems = []  # type: ignore[attr-defined]
        tab.on("pageerror", lambda error: tab.problems.append(str(error)))  # type: ignore[attr-defined]
        tab.on(
            "console",
            lambda line: tab.problems.append(line.text) if line.type == "error" else None,  # type: ignore[attr-defined]
        )
        yield tab
        browser.close()
