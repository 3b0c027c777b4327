"""`make shot`: the Live page as a picture for the README, taken while a trace is replayed.

With `POOLSCOPE_DATA` the trace is Mooncake's conversation file; without it the picture is of the
synthetic workload, and is not for the README.
"""

import os
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
TRACE = "traces/mooncake/conversation_rows_00001-03995.jsonl"
#: long enough for the maps to fill and the history to show a line
WAIT_MS = 30_000
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main() -> int:
    """0 when the picture is taken, 2 without a browser."""
    browser_path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser_path is None:
        sys.stderr.write(f"make shot needs one of {', '.join(BROWSERS)}\n")
        return 2
    TARGET.parent.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        shoot(browser_path, Path(folder))
    print(f"{TARGET.relative_to(ROOT)}, {TARGET.stat().st_size:,} bytes")
    return 0


def workload() -> list[str]:
    """Flags that replay a real trace, if there is one."""
    data = os.environ.get("POOLSCOPE_DATA")
    if data is None:
        sys.stderr.write("POOLSCOPE_DATA is not set: the picture shows the synthetic workload\n")
        return []
    return ["--trace", str(Path(data) / TRACE)]


def shoot(browser_path: str, folder: Path) -> None:
    """Serve, wait until there is something to see, take the picture."""
    with serve(folder, *workload()) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=FLAGS)
        page = browser.new_page(viewport=VIEWPORT, color_scheme="dark")
        page.goto(server.base + "/")
        pill = page.locator("[data-pill]")
        expect(pill).to_have_attribute("data-state", "live", timeout=20_000)
        page.wait_for_timeout(WAIT_MS)
        page.screenshot(path=TARGET)
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
