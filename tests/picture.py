"""Takes the picture of the page that stands in the README: `python -m tests.picture FILE`."""

import sys
from datetime import UTC, datetime

from playwright.sync_api import sync_playwright

from bot.demo import demo
from bot.ports import Silent

CHROMIUM = "/usr/bin/chromium"
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync", "--no-first-run")


def main(destination: str) -> None:
    """Start the demo on a free port and photograph it at a laptop's size."""
    with demo(datetime.now(UTC), 0, Silent()) as page, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        tab = browser.new_page(viewport={"width": 1360, "height": 860}, color_scheme="light", locale="zh-CN")
        tab.goto(page.url)
        tab.wait_for_load_state("load")
        tab.screenshot(path=destination)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1])
