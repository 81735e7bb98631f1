"""The page in a real browser: self-contained, safe with any name, and its controls work."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

JOB = """
name: orders <b>& "more"</b>
parallelism: 2
operators:
  - {id: lines, type: source, name: "<script>window.broken = true</script>"}
  - {id: parse, type: map, input: lines, name: "Parse 'x' & y"}
  - {id: heavy, type: map, input: {from: parse, partition: rebalance}, name: heavy}
  - {id: total, type: sum, input: heavy, key_by: k}
  - {id: out, type: print, input: total}
"""
STAGES = ["Stream graph", "Job graph", "Execution graph", "Physical", "Explanation"]


@dataclass
class Opened:
    """The page with everything it complained of or asked for."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    (folder / "job.yaml").write_text(JOB, encoding="utf-8")
    command = [sys.executable, "-m", "cli", "render", "job.yaml", "-f", "html", "-o", "page.html"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "page.html"


@pytest.fixture
def opened(browser: Browser, page_file: Path) -> Iterator[Opened]:
    page = browser.new_page(viewport={"width": 1200, "height": 800})
    found = Opened(page)
    page.on("console", lambda message: found.complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: found.complaints.append(str(error)))
    page.on("request", lambda request: found.requests.append(request.url))
    page.goto(page_file.as_uri())
    yield found
    assert found.complaints == []
    page.close()


def transform(page: Page) -> str:
    return str(page.evaluate("document.querySelector('section:not([hidden]) > svg').style.transform"))


def test_page_needs_nothing_but_itself(opened: Opened, page_file: Path) -> None:
    assert opened.requests == [page_file.as_uri()]


def test_names_are_text_and_never_run(opened: Opened) -> None:
    assert opened.page.evaluate("window.broken") is None
    assert 'orders <b>& "more"</b>' in opened.page.title()
    assert "<script>window.broken = true</script>" in opened.page.locator("section:not([hidden])").inner_text()


def test_every_stage_has_a_tab_that_shows_it_alone(opened: Opened) -> None:
    tabs = opened.page.get_by_role("button").or_(opened.page.get_by_role("tab"))
    for stage in STAGES:
        tabs.filter(has_text=stage).click()
        assert opened.page.locator("section:not([hidden])").count() == 1
        assert opened.page.locator("[aria-selected=true]").inner_text() == stage


def test_explanation_names_the_broken_chain(opened: Opened) -> None:
    opened.page.get_by_text("Explanation", exact=True).click()
    assert "CH007 non-forward-partitioner" in opened.page.locator("section:not([hidden])").inner_text()


def test_search_finds_operators_and_dims_the_others(opened: Opened) -> None:
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("heavy")
    assert opened.page.locator("#hits").inner_text() == "1 hit"
    assert opened.page.locator("section:not([hidden]) g.node.hit").count() == 1
    opened.page.keyboard.press("Enter")
    opened.page.keyboard.press("Escape")
    assert opened.page.locator("g.node.hit").count() == 0


def test_zoom_pan_and_fit_move_the_drawing(opened: Opened) -> None:
    page = opened.page
    fitted = transform(page)
    page.mouse.move(600, 400)
    page.mouse.wheel(0, -400)
    page.wait_for_function(
        "was => document.querySelector('section:not([hidden]) > svg').style.transform !== was", arg=fitted
    )
    zoomed = transform(page)
    page.mouse.down()
    page.mouse.move(700, 450)
    page.mouse.up()
    assert transform(page) not in (fitted, zoomed)
    page.get_by_title("Fit").click()
    assert transform(page) == fitted


def test_tooltip_tells_more_about_an_operator(opened: Opened) -> None:
    opened.page.locator("section:not([hidden]) g.node", has_text="heavy").hover()
    tooltip = opened.page.locator("#tooltip")
    tooltip.wait_for(state="visible")
    assert "job.yaml:7" in tooltip.inner_text()
