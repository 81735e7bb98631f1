"""Both ways to lay out a drawing, by the machine's `dot` program and inside this process, keep what the page needs."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable

import pytest

import planner
from cli.render.pictures.dot import Look, to_dot
from cli.render.pictures.image import draw
from cli.render.pictures.stages import PICTURES
from planner.pipeline import Stage
from tests.support.sources import ROOT

HERE = "cli.render.pictures.image.shutil.which"


def use_program(monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("dot") is None:
        pytest.skip("this machine has no dot program")


def use_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygraphviz")
    monkeypatch.setattr(HERE, lambda name: None)


@pytest.mark.parametrize("stage", ["job", "execution", "physical"])
@pytest.mark.parametrize("use", [use_program, use_this_process])
def test_every_part_that_can_be_selected_is_in_the_drawing(
    stage: Stage, use: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = to_dot(PICTURES[stage](planner.load_plan(ROOT / "samples/order_enrichment/job.py")), Look())
    wanted = set(re.findall(r' ID="(\w+)" TOOLTIP=', source))
    assert wanted
    use(monkeypatch)
    drawn = draw(source, "svg").decode()
    assert {f"a_{name}" for name in wanted} <= set(re.findall(r'id="(\w+)"', drawn))
    assert "xlink:href" not in drawn
