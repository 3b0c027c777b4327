"""An incident in headless Chromium: played back, scrubbed, and equal to what was recorded."""

import re
import time

import pytest
from playwright.sync_api import Page, expect

from tests.contract.server import Server

pytestmark = pytest.mark.browser


def test_incident_is_scrubbed_from_the_feed(page: Page, server: Server) -> None:
    page.goto(server.base + "/")
    expect(page.locator("[data-pill]")).to_have_attribute("data-state", "live", timeout=20_000)
    time.sleep(2.0)
    server.post("/api/workload/inject", {"fault": "unaligned-host-alloc"})
    event = page.locator("[data-events] li", has_text="page-aligned").first
    event.get_by_text("replay").click()
    page.wait_for_url("**/incidents/*")
    expect(page.locator("[data-timeline]")).to_be_visible(timeout=10_000)
    said = page.locator("[data-at]")
    expect(said).to_contain_text("before the event")
    at = int(re.search(r"(\d+) of", said.inner_text())[1])  # type: ignore[index]
    page.locator("[data-step='-1']").click()
    expect(said).to_contain_text(f"{at - 1} of")
    page.locator("[data-step='1']").click()
    expect(said).to_contain_text(f"{at} of")
    before = numbers(page)
    page.locator("[data-seek]").evaluate(
        "el => { el.value = 0; el.dispatchEvent(new Event('input')) }"
    )
    expect(said).to_contain_text("1 of")
    assert numbers(page) != before
    page.get_by_text("at the event").click()
    expect(said).to_contain_text(f"{at} of")
    page.wait_for_timeout(200)
    assert numbers(page) == before, "the same instant shows the same numbers"
    assert page.problems == []  # type: ignore[attr-defined]


def numbers(page: Page) -> str:
    page.wait_for_timeout(300)
    return page.locator(".pools").inner_text()
