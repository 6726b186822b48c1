"""A real Chromium for tests of pages: how it is started, and what it is asked."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[1]
CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER: Final = shutil.which("chromedriver")
AXE: Final = Path(os.environ.get("DPREF_AXE", ROOT / "node_modules" / "axe-core" / "axe.min.js"))
WIDTHS: Final = {"desktop": 1280, "tablet": 820, "phone": 390}
SCHEMES: Final = ("light", "dark")


def missing() -> str | None:
    """What is not here, as the reason of a skip; None if everything is."""
    if CHROMIUM is None or DRIVER is None:
        return "needs chromium and chromedriver: apt-get install chromium chromium-driver"
    if find_spec("selenium") is None:
        return "needs selenium: pip install selenium"
    if not AXE.is_file():
        return "needs axe-core: npm install axe-core, or DPREF_AXE=/path/to/axe.min.js"
    return None


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM or ""
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(argument)
    browser = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield browser
    finally:
        browser.quit()


def look(browser: Any, page: str, width: int, scheme: str = "light", *, media: str = "screen") -> None:
    """Show a page at a width and in a colour scheme, on a screen or on paper."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
    browser.get("about:blank")  # a page that differs by its fragment alone would not be loaded anew
    browser.get(page)


def violations(browser: Any) -> list[str]:
    """What axe-core finds wrong with the page that is shown."""
    browser.execute_script(AXE.read_text("utf-8"))
    found = browser.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
    return [f"{v['id']}: {node['html'][:200]}" for v in found["violations"] for node in v["nodes"]]
