"""The page of a job that Flink described: what is not known is said to be so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cli.app import main
from tests.cli.browser.conftest import Opened
from tests.support import flink_exports


@pytest.fixture
def opened(open_page: Callable[..., Opened], tmp_path: Path) -> Opened:
    target = tmp_path / "page.html"
    folder = flink_exports.unpacked() / "rest/2.3/tuned-heavy-alone"
    assert main(["render", str(folder), "-o", str(target)]) == 0
    return open_page(target)


def test_an_operator_has_no_settings_that_nobody_told(opened: Opened) -> None:
    opened.shape("n5", "job").click()
    panel = opened.panel()
    assert "Flink does not tell whether it keeps state" in panel
    assert panel.count("not known") >= 4
    assert "It has no uid" not in panel and "written at" not in panel


def test_an_open_edge_marks_what_may_be_in_its_way(opened: Opened) -> None:
    assert "What Flink told of the job (running job and stream plan), as Flink deployed it" in opened.panel()
    opened.page.evaluate("location.hash = '#edge=parse:model'")
    opened.page.locator("#panel .conditions").wait_for()
    panel = opened.panel()
    assert "certain: not chained; the cause is one of" in panel
    assert opened.page.locator("#panel .maybe").count() == 2
    assert opened.page.locator("#panel .no").count() == 0


def test_stages_that_no_export_has_say_so(opened: Opened) -> None:
    for tab in ("Execution graph", "Physical"):
        opened.tab(tab)
        assert "Flink describes this job without" in opened.page.locator("section:not([hidden])").inner_text()
    opened.tab("Explanation")
    assert "ruled out" in opened.page.locator("section:not([hidden])").inner_text()
