"""A real browser for tests.

The gate has one, and sets ``FASTARAC_BROWSER=required``. Elsewhere the tests that import this are left
out, with one line that says so, where there is none.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["ActionChains", "By", "Keys", "opened_in", "require_no_request", "started"]

REQUIRED = os.environ.get("FASTARAC_BROWSER") == "required"
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
DRIVER = shutil.which("chromedriver")

if not REQUIRED:
    pytest.importorskip("selenium", reason="no selenium: pages are not looked at in a browser")
    if not (BROWSER and DRIVER):
        pytest.skip("no Chromium with its driver: pages are not looked at", allow_module_level=True)

from selenium import webdriver  # noqa: E402
from selenium.webdriver.chrome.service import Service  # noqa: E402
from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402
from selenium.webdriver.support.wait import WebDriverWait  # noqa: E402


@contextmanager
def started() -> Iterator[Any]:
    """Start a browser, which logs what fails and what is asked of the network."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER or ""
    for argument in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage"):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options, Service(DRIVER))
    try:
        driver.set_page_load_timeout(60)
        yield driver
    finally:
        driver.quit()


def opened_in(browser: Any, page: Path, *, width: int = 1280, scheme: str = "light") -> Any:
    """Open a page at a width, in a scheme, once its script is ready."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},  # clicks do not wait for scrolling
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": features})
    browser.get(page.as_uri())
    ready = "return document.documentElement.dataset.ready === 'yes'"
    WebDriverWait(browser, 10).until(lambda _: browser.execute_script(ready))
    return browser


def require_no_request(browser: Any, n_pages: int) -> None:
    """Raise where something else was loaded than so many pages from the disk."""
    requests = [
        message["params"]["request"]["url"]
        for entry in browser.get_log("performance")
        if (message := json.loads(entry["message"])["message"])["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in requests if not url.startswith(("file://", "data:", "blob:"))] == []
    assert len([url for url in requests if url.startswith("file://")]) <= n_pages
