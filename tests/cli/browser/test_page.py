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
    for words in ("5\noperators", "3\ntasks", "6\nsubtasks", "2\nslots", "8 channels between subtasks"):
        assert words in shown
    assert "This edge could chain, and does not" in shown and "Parse 'x' & y → heavy" in shown
    assert "CH007 REBALANCE at" in shown  # the reason, with its place


def test_the_legend_is_in_the_first_sight_and_counts_the_edges(opened: Opened) -> None:
    legend = opened.page.locator("#panel .legend")
    assert legend.inner_text().split("\n") == [
        "2 chained: records are handed over in memory, inside one task",
        "1 could chain: a change of the job would chain them",
        "1 needed: the result needs it so: a key, a broadcast, several inputs",
    ]
    box = legend.bounding_box()
    assert box is not None and box["y"] + box["height"] < 600
    drawn, told = opened.page.evaluate(
        """() => [
          document.querySelector("#job-n1 [fill], #job-a_n1 [fill]").getAttribute("fill"),
          getComputedStyle(document.querySelector("#panel .box.source")).backgroundColor,
        ]"""
    )
    assert told == f"rgb({', '.join(str(int(drawn[at : at + 2], 16)) for at in (1, 3, 5))})"


def test_every_stage_says_what_it_shows(opened: Opened) -> None:
    told = set()
    for stage in TABS:
        opened.tab(stage)
        words = opened.page.locator("#path").inner_text()
        assert words.startswith(f"{stage}: ")
        told.add(words)
    assert len(told) == len(TABS)


def test_the_figures_lead_to_their_stages(opened: Opened) -> None:
    opened.page.locator("#panel .tile", has_text="subtasks").click()
    assert opened.page.locator("[aria-selected=true]").inner_text() == "Execution graph"
