"""How the page looks to people: light, dark, printed, to a screen reader, and at every size."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.app import main
from tests.cli.browser.conftest import Opened
from tests.support.npm_file import AXE, npm_file

ROOT = Path(__file__).parents[3]
TABS = ["Stream graph", "Job graph", "Execution graph", "Physical", "List", "Explanation"]
# What a test of this page must say of any page; colour contrast included.
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]


@pytest.fixture(scope="module")
def enrichment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("page") / "page.html"
    assert main(["render", str(ROOT / "samples/order_enrichment/job.py"), "-o", str(target)]) == 0
    return target


def background(opened: Opened, selector: str = "body") -> tuple[int, ...]:
    rgb = opened.page.evaluate(f"getComputedStyle(document.querySelector({selector!r})).backgroundColor")
    return tuple(int(part) for part in rgb[4:-1].split(","))


def ink(opened: Opened) -> str:
    return str(opened.page.evaluate("getComputedStyle(document.querySelector('#stage-job svg text')).fill"))


def test_the_page_follows_the_system_and_can_be_switched(open_page: Callable[..., Opened], enrichment: Path) -> None:
    light, dark = open_page(enrichment, color_scheme="light"), open_page(enrichment, color_scheme="dark")
    assert min(background(light)) > 230 and max(background(dark)) < 50
    assert ink(light) != ink(dark)
    dark.page.locator("#theme").click()
    assert min(background(dark)) > 230 and ink(dark) == ink(light)


def test_print_shows_the_drawing_whole_and_light(open_page: Callable[..., Opened], enrichment: Path) -> None:
    found = open_page(enrichment, color_scheme="dark")
    found.page.emulate_media(media="print")
    assert min(background(found)) > 230
    assert found.page.locator(".tools").is_hidden() and found.page.locator("[role=tablist]").is_hidden()
    style = found.page.evaluate("getComputedStyle(document.querySelector('#stage-job > svg')).transform")
    assert style == "none"
    assert len(found.page.pdf()) > 10_000


def complaints(found: Opened) -> list[str]:
    result: dict[str, Any] = found.page.evaluate(
        "standards => axe.run(document, { runOnly: { type: 'tag', values: standards } })", STANDARDS
    )
    return [
        f"{violation['id']}: {node['html'][:120]} {node['failureSummary'][:200]}"
        for violation in result["violations"]
        for node in violation["nodes"][:2]
    ]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_complain_of(
    open_page: Callable[..., Opened], enrichment: Path, tmp_path: Path, scheme: str
) -> None:
    axe = npm_file(*AXE).read_text(encoding="utf-8")
    # The page's own policy would refuse axe, which is the browser's to run here and nobody's in the field.
    found = open_page(enrichment, color_scheme=scheme, bypass_csp=True)
    found.page.evaluate(axe)
    for tab in TABS if scheme == "light" else ("Job graph", "List"):
        found.tab(tab)
        assert complaints(found) == [], tab
    found.page.evaluate("location.hash = '#stage=job&edge=add-customer:async_map-1'")
    found.page.get_by_role("button", name="Show the result of this change").click()
    assert complaints(found) == []
    found.page.evaluate("document.getElementById('tab-job').removeAttribute('role')")
    assert complaints(found) != []  # axe would have said something


def chain_job(operators: int, parallelism: int = 4) -> str:
    """A job of many operators: chains broken in every way, now and then a branch."""
    lines = ["name: large", f"parallelism: {parallelism}", "operators:", "  - {id: o0, type: source}"]
    for number in range(1, operators - 1):
        source = f"o{number - 1}" if number % 7 else f"o{max(number - 5, 0)}"
        extra = {
            2: f"input: {{from: {source}, partition: rebalance}}",
            4: f"input: {source}, parallelism: {parallelism * 2}",
            6: f"input: {source}, slot_sharing_group: g{number % 3}",
        }.get(number % 9, f"input: {source}")
        lines.append(f"  - {{id: o{number}, type: map, {extra}}}")
    return "\n".join([*lines, f"  - {{id: out, type: print, input: o{operators - 2}}}"])


@pytest.mark.parametrize("operators", [5, 50, 500])
def test_every_size_opens_and_can_be_read(
    open_page: Callable[..., Opened], render: Callable[..., Path], operators: int
) -> None:
    found = open_page(render(chain_job(operators)), viewport={"width": 700, "height": 900})
    assert f"{operators}\noperators" in found.panel()
    for tab in TABS[:4]:
        found.tab(tab)
        scale = found.page.evaluate(
            "new DOMMatrix(document.querySelector('section:not([hidden]) > svg').style.transform).a"
        )
        assert scale >= 0.85  # letters of nine points can be read
        assert found.page.evaluate(
            """() => {
              const { left, right, top, bottom } = document.getElementById("stages").getBoundingClientRect();
              const inside = (box) => box.left >= left && box.right <= right && box.top >= top && box.bottom <= bottom;
              const parts = [...document.querySelectorAll("section:not([hidden]) [role=button]")];
              return parts.some((part) => inside(part.getBoundingClientRect()));
            }"""
        )
    found.page.evaluate("location.hash = '#stage=stream&op=o3'")
    found.page.get_by_role("heading", name="Map (o3)").wait_for()
    inside = found.page.evaluate(
        """() => {
          const part = document.querySelector("section:not([hidden]) .on").getBoundingClientRect();
          const frame = document.getElementById("stages").getBoundingClientRect();
          const across = part.left >= frame.left && part.right <= frame.right;
          return across && part.top >= frame.top && part.bottom <= frame.bottom;
        }"""
    )
    assert inside


def test_a_large_drawing_has_a_map_that_leads_through_it(
    open_page: Callable[..., Opened], render: Callable[..., Path]
) -> None:
    found = open_page(render(chain_job(50)))
    chart = found.page.locator("#map")
    transform = "document.querySelector('section:not([hidden]) > svg').style.transform"
    sight = "document.querySelector('#map .window').getBoundingClientRect().top"
    for tab in ("Job graph", "Stream graph", "Execution graph"):
        found.tab(tab)
        chart.wait_for(state="visible")
        assert chart.locator("rect.part").count() >= 18  # one for each task, and for each hub between subtasks
        before, top = found.page.evaluate(transform), found.page.evaluate(sight)
        box = chart.bounding_box()
        assert box is not None
        found.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] - 8)
        assert found.page.evaluate(transform) != before
        found.page.wait_for_function(f"top => {sight} > top + 10", arg=top)
    found.page.locator("#fit").click()  # all of it: no map is needed
    chart.wait_for(state="hidden")


def test_ten_thousand_subtasks_are_groups_that_open(
    open_page: Callable[..., Opened], render: Callable[..., Path]
) -> None:
    found = open_page(render(chain_job(5, parallelism=5_000)))
    found.tab("Execution graph")
    assert found.page.locator("section:not([hidden]) [data-part=subtasks]").count() < 40
    found.shape("s0_3_4998", "execution").click()
    assert "These 4\u202f996 subtasks are drawn as one box" in found.panel()
    groups = found.page.locator("#panel > div > details > summary")
    groups.nth(4).click()
    found.page.locator("#panel details details > summary").nth(3).click()
    found.page.locator("#panel details details details > summary").nth(1).click()
    found.page.get_by_role("link", name="4323", exact=True).click()
    assert "Subtask 4323 of task 1" in found.panel()
    assert "slot 4323" in found.panel()


def test_the_page_of_the_word_count_is_small(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert main(["render", str(ROOT / "samples/word_count/job.py"), "-o", str(target)]) == 0
    assert target.stat().st_size < 150_000


@pytest.mark.parametrize("width", [1400, 700, 380])
def test_nothing_is_wider_than_the_screen(open_page: Callable[..., Opened], enrichment: Path, width: int) -> None:
    found = open_page(enrichment, viewport={"width": width, "height": 900})
    for tab in TABS:
        found.tab(tab)
        assert found.page.evaluate("document.documentElement.scrollWidth") <= width
        assert found.page.evaluate(
            "document.getElementById('panel').scrollWidth <= document.getElementById('panel').clientWidth + 1"
        )
