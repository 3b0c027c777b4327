"""The Live page as a person uses it: numbers move, a fault is raised, its link opens its entry."""

import os
import signal

import pytest
from playwright.sync_api import Page, expect, sync_playwright

from app.catalog.catalog import CATALOG
from tests.browser.conftest import FLAGS
from tests.contract.server import Server

pytestmark = pytest.mark.browser


def open_live(page: Page, server: Server) -> None:
    page.goto(server.base + "/")
    expect(page.locator("[data-pill]")).to_have_attribute("data-state", "live", timeout=10_000)


def field(page: Page, pool: str, name: str) -> str:
    return page.locator(f'[data-pool="{pool}"] [data-field="{name}"]').first.inner_text()


def test_live_numbers_move_without_an_error_in_the_console(page: Page, server: Server) -> None:
    open_live(page, server)
    seen = set()
    for _ in range(40):
        seen.add(field(page, "kv_pages", "held"))
        page.wait_for_timeout(100)
    assert len(seen) > 3, "the held pages should change while a workload runs"
    assert page.problems == []  # type: ignore[attr-defined]


def test_live_first_response_has_verdict_and_numbers_without_javascript(
    server: Server, chromium: str
) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_context(java_script_enabled=False).new_page()
        page.goto(server.base + "/")
        assert "In this simulation" in page.locator("h1").first.inner_text()
        assert any(char.isdigit() for char in field(page, "kv_pages", "available"))
        browser.close()


def test_live_slot_map_is_drawn(page: Page, server: Server) -> None:
    open_live(page, server)
    page.wait_for_timeout(1000)
    colours = page.evaluate(
        """() => {
          const canvas = document.querySelector('[data-chart="slot_map"] canvas');
          const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
          const seen = new Set();
          for (let i = 0; i < data.length; i += 4 * 97) seen.add(data.slice(i, i + 3).join());
          return seen.size;
        }"""
    )
    assert colours >= 2


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("over-admission", "alloc_req_slots runs out of memory."),
        ("unaligned-host-alloc", "LogicalHostPool allocation must be page-aligned, got need_size"),
        ("generation-near-limit", "CUDA IPC pool slot generation exhausted"),
    ],
)
def test_live_fault_leads_to_its_entry(
    page: Page, server: Server, fault: str, message: str
) -> None:
    open_live(page, server)
    page.get_by_text("faults", exact=True).click()
    button = page.locator(f'[data-do="inject"][data-arg="{fault}"]')
    button.click()
    confirm = page.locator("dialog[open] [data-confirm-yes], dialog[open] button[value=yes]")
    if button.get_attribute("data-confirm") is not None:
        confirm.first.click()
    event = page.locator("[data-events] li", has_text=message).first
    expect(event).to_be_visible(timeout=15_000)
    event.locator("a").first.click()
    page.wait_for_url("**/errors/*")
    code = page.url.rsplit("/", 1)[1]
    expect(page.locator("main")).to_contain_text(CATALOG.by_code[code].title)
    page.get_by_text("refuted", exact=False).first.wait_for()


def test_live_space_pauses_and_resumes(page: Page, server: Server) -> None:
    open_live(page, server)
    page.locator("body").press("Space")
    expect(page.locator("[data-pill]")).to_have_attribute("data-state", "paused", timeout=15_000)
    page.locator("body").press("Space")
    expect(page.locator("[data-pill]")).to_have_attribute("data-state", "live", timeout=15_000)


def test_live_says_so_when_the_host_is_killed_and_comes_back(page: Page, server: Server) -> None:
    open_live(page, server)
    os.kill(server.host_pid(), signal.SIGKILL)
    expect(page.locator("[data-notice]")).to_be_visible(timeout=15_000)
    expect(page.locator("[data-notice]")).to_contain_text("host stopped")
    expect(page.locator("[data-pill]")).to_have_attribute("data-state", "live", timeout=20_000)
    expect(page.locator("[data-notice]")).to_be_hidden()


@pytest.mark.parametrize("path", ["/pools", "/pools/local/kv_pages", "/pools/local/mm_feature"])
def test_pool_pages_open_without_an_error(page: Page, server: Server, path: str) -> None:
    page.goto(server.base + path)
    page.wait_for_timeout(1500)
    assert page.problems == []  # type: ignore[attr-defined]
    expect(page.locator("main")).to_contain_text("kv_pages" if "kv" in path else "mm_feature")


def test_errors_page_filters_by_its_url(page: Page, server: Server) -> None:
    page.goto(server.base + "/errors?q=page-aligned")
    expect(page.locator("main")).to_contain_text("logical-host-alloc-unaligned")
    expect(page.locator("main")).not_to_contain_text("alloc-req-slots-exhausted")
