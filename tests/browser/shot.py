"""`make shot`: the Live page as a picture for the README, taken while the first minute runs."""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.contract.server import serve
from tests.contract.tree import ROOT

TARGET = ROOT / "docs" / "live.png"
VIEWPORT = {"width": 1500, "height": 940}
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
#: long enough for the maps to fill and the history to show a line
STORY_MS = 30_000
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> int:
    """0 when the picture is taken, 2 without a browser."""
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        sys.stderr.write(f"make shot needs one of {', '.join(BROWSERS)}\n")
        return 2
    TARGET.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, serve(Path(folder)) as server:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
            page = browser.new_page(viewport=VIEWPORT, color_scheme="dark")
            page.goto(server.base + "/")
            expect(page.locator("[data-pill]")).to_have_attribute(
                "data-state", "live", timeout=20_000
            )
            page.wait_for_timeout(STORY_MS)
            page.screenshot(path=TARGET)
            browser.close()
    print(f"{TARGET.relative_to(ROOT)}, {TARGET.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
