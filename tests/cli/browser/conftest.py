"""A real browser for the page: the Chromium of this machine, driven by Playwright."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# A test machine may be offline and run as root; without these Chromium looks up hosts or refuses to start.
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update")


def _missing(reason: str) -> None:
    if os.environ.get("PLAN_REQUIRE_BROWSER") == "1":
        pytest.fail(f"PLAN_REQUIRE_BROWSER=1, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="module")  # while it lives, Playwright keeps an event loop running in this thread
def browser() -> Iterator[Browser]:
    program = next((found for name in NAMES if (found := shutil.which(name))), None)
    if program is None:
        _missing("there is no Chromium on PATH: install the package chromium to test the page")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield running
        running.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the browser tests in one process of pytest-xdist: one browser is enough."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.xdist_group("browser"))
