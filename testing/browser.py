"""A Chromium without a window, for pages that mlc writes: in tests, for pictures of pages, in benchmarks."""

from __future__ import annotations

import shutil
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any


def why_no_browser() -> str | None:
    """What is missing to start one; None if nothing is."""
    programs = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    missing = [*programs, *(["selenium"] if find_spec("selenium") is None else [])]
    return f"not installed: {', '.join(missing)}" if missing else None


@contextmanager
def browser(width: int = 1400, height: int = 900, is_dark: bool = False) -> Generator[Any]:
    """Selenium's driver of a browser whose pages have this size in pixels, and of a system set to light or dark.

    What the browser logs is kept (`get_log("browser")`).
    """
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    chosen = Options()
    chosen.binary_location = shutil.which("chromium") or ""
    for flag in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars"):
        chosen.add_argument(f"--{flag}")
    chosen.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver: Any = webdriver.Chrome(options=chosen, service=Service(shutil.which("chromedriver")))
    try:
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        yield driver
    finally:
        driver.quit()
