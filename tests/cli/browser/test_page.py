"""The page in a real browser: self-contained, safe with any name, and its controls work."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.browser.conftest import Opened

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
TABS = ["Stream graph", "Job graph", "Execution graph", "Physical", "List", "Explanation"]
NASTY = (
    "</script><script>window.broken = 1</script>",
    "<!--",
    "]]>",
    "<img src=x onerror=window.broken=1>",
    "${1}",
    "a:b&c=d",
    "x\\u2028y",
    "<!--DATA-->",
)


@pytest.fixture(scope="module")
def page_file(render: Callable[..., Path]) -> Path:
    return render(JOB)


@pytest.fixture
def opened(open_page: Callable[..., Opened], page_file: Path) -> Opened:
    return open_page(page_file)


def transform(opened: Opened) -> str:
    return str(opened.page.evaluate("document.querySelector('section:not([hidden]) > svg').style.transform"))


def test_the_page_forbids_all_but_its_own_script(opened: Opened) -> None:
    policy = opened.page.locator("meta[http-equiv]").get_attribute("content") or ""
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    opened.page.evaluate(
        """() => {
          const other = document.createElement("script");
          other.textContent = "window.broken = 1";
          document.body.append(other);
        }"""
    )
    assert opened.page.evaluate("window.broken") is None
    assert len(opened.complaints) == 1 and "Content Security Policy" in opened.complaints.pop()


def test_names_are_text_and_never_run(opened: Opened) -> None:
    assert opened.page.evaluate("window.broken") is None
    assert 'orders <b>& "more"</b>' in opened.page.title()
    shown = opened.page.locator("section:not([hidden])").inner_text()
    assert "<script>window.broken=true</script>" in re.sub(r"\s", "", shown)


def test_hostile_names_everywhere(open_page: Callable[..., Opened], render: Callable[..., Path]) -> None:
    names = [f'"{name}"' for name in NASTY]
    lines = [f"  - {{id: s, type: source, name: {names[0]}, uid: {names[1]}, description: {names[3]}}}"]
    lines += [
        f'  - {{id: o{at}, type: map, input: {"s" if at == 0 else f"o{at - 1}"}, name: {name}, uid: {name[:-1]}{at}", '
        f"slot_sharing_group: {name}}}"
        for at, name in enumerate(names)
    ]
    lines.append(f"  - {{id: out, type: print, input: o{len(names) - 1}}}")
    job = "\n".join([f"name: {names[0]}", "parallelism: 2", "operators:", *lines])
    found = open_page(render(job))
    for tab in TABS:
        found.tab(tab)
    for operator in ("s", *(f"o{at}" for at in range(len(names)))):
        found.page.evaluate(f"location.hash = '#stage=stream&op={operator}'")
        found.page.wait_for_function(f"document.querySelector('#panel h2').textContent.includes('({operator})')")
    assert found.page.evaluate("window.broken") is None
    assert found.page.locator("#panel img, section img, section script").count() == 0


def test_every_stage_has_a_tab_that_shows_it_alone(opened: Opened) -> None:
    for stage in TABS:
        opened.tab(stage)
        assert opened.page.locator("section:not([hidden])").count() == 1
        assert opened.page.locator("[aria-selected=true]").inner_text() == stage


def test_explanation_names_the_broken_chain(opened: Opened) -> None:
    opened.tab("Explanation")
    assert "CH007 non-forward-partitioner" in opened.page.locator("section:not([hidden])").inner_text()


def test_search_finds_operators_and_dims_the_others(opened: Opened) -> None:
    opened.page.keyboard.press("/")
    opened.page.keyboard.type("heavy")
    assert opened.page.locator("#hits").inner_text() == "1 hit"
    assert opened.page.locator("section:not([hidden]) .found").count() == 1
    opened.page.keyboard.press("Enter")
    assert "heavy" in opened.panel()
    opened.page.keyboard.press("Escape")
    assert opened.page.locator(".found").count() == 0


def test_zoom_pan_and_fit_move_the_drawing(opened: Opened) -> None:
    page = opened.page
    fitted = transform(opened)
    page.mouse.move(600, 400)
    page.mouse.wheel(0, -400)
    page.wait_for_function(
        "was => document.querySelector('section:not([hidden]) > svg').style.transform !== was", arg=fitted
    )
    zoomed = transform(opened)
    page.mouse.down()
    page.mouse.move(700, 450)
    page.mouse.up()
    assert transform(opened) not in (fitted, zoomed)
    page.get_by_role("button", name="Fit").click()
    assert transform(opened) == fitted


def test_tooltip_tells_more_about_an_operator(opened: Opened) -> None:
    opened.shape("n4", "job").hover()
    tooltip = opened.page.locator("#tip")
    tooltip.wait_for(state="visible")
    assert "job.yaml:7" in tooltip.inner_text()


def test_the_overview_says_what_could_chain(opened: Opened) -> None:
    shown = opened.panel()
    for words in ("5\noperators", "3\ntasks (chains)", "6\nsubtasks", "2\nslots"):
        assert words in shown
    assert "1 edge could chain, and does not" in shown and "Parse 'x' & y → heavy" in shown
    assert "handed over in memory" in shown  # the legend
