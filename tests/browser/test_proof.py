"""An error's page as a person uses it: reproduce, try a remedy, read what the word means."""

import pytest
from playwright.sync_api import Page, expect

from app.catalog.entry import STATUSES
from tests.contract.server import Server

pytestmark = pytest.mark.browser
LAB_MS = 40_000


def test_try_shows_before_and_after_and_explains_the_word(page: Page, server: Server) -> None:
    page.goto(server.base + "/errors/alloc-req-slots-exhausted")
    for key, cause, status in (
        ("raise-max-running-requests", "rows-held-by-sessions", "proved"),
        ("lower-max-running-requests", "leaked-rows", "refuted"),
        ("send-less", "rows-held-by-sessions", "avoids"),
    ):
        button = page.locator(f'button[data-try="{key}"][data-cause="{cause}"]')
        button.click()
        shown = button.locator("xpath=../*[@data-shown]")
        expect(shown).to_be_visible(timeout=LAB_MS)
        expect(shown.locator(".badge")).to_have_text(status)
        expect(shown).to_contain_text(STATUSES[status])  # type: ignore[index]
        expect(shown).to_contain_text("Before")
        expect(shown).to_contain_text("After")
        assert shown.locator("canvas").count() >= 2
        expect(button).to_be_enabled()
    assert page.problems == []  # type: ignore[attr-defined]


def test_reproduce_draws_the_rows_that_were_held(page: Page, server: Server) -> None:
    page.goto(server.base + "/errors/alloc-req-slots-exhausted")
    cause = page.locator('.cause[data-cause="rows-held-by-sessions"]')
    cause.locator("button[data-reproduce]").click()
    expect(cause.locator("[data-shown]")).to_be_visible(timeout=LAB_MS)
    expect(cause).to_contain_text("Reproduced just now.")
    caption = "request_slots when it failed: 40 held, 8 available of 48 slots"
    expect(cause.locator("figcaption").first).to_have_text(caption)
    colours = page.evaluate(
        """() => {
          const canvas = document.querySelector('.cause [data-shown] canvas');
          const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
          const seen = new Set();
          for (let i = 0; i < data.length; i += 4) seen.add(data.slice(i, i + 4).join());
          return seen.size;
        }"""
    )
    assert colours >= 2
    assert page.problems == []  # type: ignore[attr-defined]


def test_a_refusal_of_the_lab_is_shown_and_the_button_stays(page: Page, server: Server) -> None:
    page.route(
        "**/api/errors/*/reproduce",
        lambda route: route.fulfill(
            status=503,
            content_type="application/problem+json",
            body='{"title": "Lab not available", "detail": "try again soon", "status": 503}',
        ),
    )
    page.goto(server.base + "/errors/queue-full")
    button = page.locator("button[data-reproduce]")
    button.click()
    expect(page.locator("[data-toasts]")).to_contain_text("Lab not available")
    expect(button).to_be_enabled()
    expect(page.locator(".cause [data-shown]")).to_be_hidden()


def test_without_javascript_the_recorded_run_is_there(page: Page, server: Server) -> None:
    context = page.context.browser.new_context(java_script_enabled=False)  # type: ignore[union-attr]
    plain = context.new_page()
    plain.goto(server.base + "/errors/kv-decode-oom")
    expect(plain.locator("main")).to_contain_text("Last proven by Poolscope")
    expect(plain.locator("main")).to_contain_text("The same 24 offered, all 24 served.")
    expect(plain.locator("button[data-try]").first).to_be_hidden()
    context.close()
