"""A real browser for the page: the Chromium of this machine, driven by Playwright."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cli.app import main

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

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
    if importlib.util.find_spec("playwright") is None:
        _missing("Playwright is not installed: install the extra test-services to test the page")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield running
        running.close()


@dataclass
class Opened:
    """The page with everything it complained of or asked for."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def shape(self, name: str, stage: str) -> Any:
        """The part of a drawing: `n5`, `c2`, `s0_1_1`; its label or its title where it has one."""
        for written in (f"{stage}-a_{name}", f"{stage}-{name}"):
            found = self.page.locator(f'[id="{written}"]')
            if found.count():
                return found
        raise AssertionError(f"{stage} has no {name}")

    def panel(self) -> str:
        return str(self.page.locator("#panel").inner_text())

    def tab(self, name: str) -> None:
        self.page.get_by_role("tab", name=name, exact=True).click()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Opened]]:
    """Open a file; in the end no page has complained, or asked for anything but itself."""
    pages: list[tuple[Opened, str]] = []

    def opened(file: Path, address: str = "", **options: Any) -> Opened:
        page = browser.new_page(**{"viewport": {"width": 1400, "height": 900}, **options})
        page.set_default_timeout(10_000)
        found = Opened(page)
        page.on("console", lambda m: found.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        page.on("request", lambda request: found.requests.append(request.url))
        page.goto(file.as_uri() + address)
        pages.append((found, file.as_uri()))
        return found

    yield opened
    for found, address in pages:
        assert found.complaints == []
        assert {url.partition("#")[0] for url in found.requests} == {address}
        found.page.close()


@pytest.fixture(scope="module")
def render(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Write a job and draw its page."""

    def rendered(job: str, *options: str, name: str = "job") -> Path:
        folder = tmp_path_factory.mktemp("page")
        (folder / f"{name}.yaml").write_text(job, encoding="utf-8")
        target = folder / "page.html"
        assert main(["render", str(folder / f"{name}.yaml"), "-o", str(target), *options]) == 0
        return target

    return rendered
