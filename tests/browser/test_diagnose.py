"""A log diagnosed in headless Chromium, with a file and without JavaScript."""

import gzip
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from tests.browser.conftest import FLAGS
from tests.contract.server import Server
from tests.diagnose.logs import batch, crash, kv_oom

pytestmark = pytest.mark.browser

LOG = "\n".join(
    [
        *(batch(second, running=8, usage=second / 100) for second in range(1, 99)),
        crash(99, kv_oom("Prefill", 8_192, 500) + " <img src=x onerror=alert(1)>"),
    ]
)


def test_paste_and_read(page: Page, server: Server) -> None:
    page.goto(server.base + "/")
    page.get_by_role("link", name="Diagnose").click()
    page.locator("textarea").fill(LOG)
    page.get_by_role("button", name="Diagnose").click()
    expect(page.locator("h1")).to_contain_text("The KV pool was full: 8,192 tokens")
    expect(page.locator(".usage polyline")).to_have_count(3)
    expect(page.locator("textarea")).to_have_value("")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.locator(".marks a").click()
    page.wait_for_url("**/errors/kv-prefill-oom")
    assert page.problems == []  # type: ignore[attr-defined]


def test_a_compressed_file_on_a_phone_without_javascript(
    server: Server, chromium: str, tmp_path: Path
) -> None:
    path = tmp_path / "server.log.gz"
    path.write_bytes(gzip.compress(LOG.encode()))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        context = browser.new_context(
            java_script_enabled=False, viewport={"width": 390, "height": 800}
        )
        tab = context.new_page()
        tab.goto(server.base + "/diagnose")
        tab.set_input_files("input[name=file]", path)
        tab.get_by_role("button", name="Diagnose").click()
        expect(tab.locator("h1")).to_contain_text("The KV pool was full")
        right = tab.locator(".verdict-box").bounding_box()
        assert right is not None
        assert right["x"] + right["width"] <= 390
        browser.close()
