"""Every job of the corpus through every renderer: nothing is too odd to be shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.jobs import SHAPES
from cli.render.pictures.dot import to_dot
from cli.render.pictures.mermaid import to_mermaid
from cli.render.pictures.stages import PICTURES
from cli.render.styled import plain
from cli.render.text.explanation import edge_lines, explanation_lines
from cli.render.text.order import order_lines
from cli.render.text.stages import stage_lines
from planner.chaining.evaluation import check_conditions
from planner.errors import OptionError
from planner.explanation.explain import explain_plan
from planner.explanation.order import explain_order
from planner.frontends.yaml.loader import load_job_data
from planner.job import Location
from planner.pipeline import STAGES, Plan, plan

CORPUS = Path(__file__).parents[1] / "conformance"


def plans() -> Iterator[Any]:
    for file in sorted(CORPUS.glob("*.jsonl")):
        for number, text in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
            case = json.loads(text)
            if "plan" in case:
                yield pytest.param(case["job"], Location(file.name, number), id=case["case"])


PLANS = list(plans())[::3]  # they are alike: a third finds what all would, in a third of the time


@pytest.mark.parametrize(("data", "place"), PLANS)
def test_text_names_every_operator_and_every_obstacle(data: dict[str, Any], place: Location) -> None:
    compiled = plan(load_job_data(data, place))
    explanation = explain_plan(compiled)
    text = plain(explanation_lines(explanation, spec="job.yaml"))
    assert all(link.operator.key in text for chain in explanation.chains for link in chain.links)
    for edge in explanation.between:
        assert all(obstacle.code in text for obstacle in edge.obstacles)
        if edge.verdict == "broken":  # a change that was tried, or why there is none
            told = edge.changes or (edge.advice and edge.advice.why_not,)
            assert told[0] and told[0] in text
    for edge in explanation.edges[:3]:
        shown = plain(edge_lines(edge, check_conditions(compiled, edge.position)))
        assert shown.count("CH0") >= 12
    assert compiled.job_graph is not None
    assert plain(order_lines("job", explain_order(compiled.job_graph))).count("\n") >= 2 * len(
        compiled.job_graph.vertices
    )
    assert plain(stage_lines(compiled, STAGES)).count("\n") > 4


LARGE = [SHAPES["row"](100), SHAPES["unchained_row"](60), SHAPES["pipelines"](20), SHAPES["wide"](300)]


@pytest.mark.parametrize("data", LARGE, ids=[job["name"] for job in LARGE])
def test_large_jobs_are_shortened_and_counted(data: dict[str, Any]) -> None:
    compiled = plan(load_job_data(data, Location("job.yaml", 1)))
    text = plain(explanation_lines(explain_plan(compiled), spec="job.yaml"))
    assert re.search(rf"^  operators +{len(data['operators'])}$", text, re.MULTILINE)
    if data["name"] == "row":
        assert re.search(r"^     map 25 +Map +job.yaml:1\n     ... and 71 more\n     map 97 ", text, re.MULTILINE)
    assert plain(stage_lines(compiled, STAGES)).count("\n") > 4


@pytest.mark.parametrize(("data", "place"), PLANS)
def test_pictures_connect_only_what_they_show(data: dict[str, Any], place: Location) -> None:
    compiled = plan(load_job_data(data, place))
    for stage in STAGES:
        if compiled.execution_graph is None and stage in ("execution", "physical"):
            with pytest.raises(OptionError):
                PICTURES[stage](compiled)
            continue
        _check(compiled, stage)


def _check(compiled: Plan, stage: Any) -> None:
    picture = PICTURES[stage](compiled)
    ids = [box.id for box in picture.boxes]
    frames = [cluster.id for cluster in picture.clusters]
    assert len(set(ids)) == len(ids) and len(set(frames)) == len(frames)
    assert {end for arrow in picture.arrows for end in (arrow.source, arrow.target)} <= set(ids)
    assert {box.cluster for box in picture.boxes if box.cluster} <= set(frames)
    assert {box for row in picture.rows for box in row} <= set(ids)
    assert to_dot(picture).startswith("digraph plan {")
    assert "flowchart TB" in to_mermaid(picture)
    if stage in ("stream", "job"):
        chained = sum(not obstacles for obstacles in compiled.obstacles)
        assert sum(arrow.kind == "chained" for arrow in picture.arrows) == chained
        assert len(picture.arrows) == len(compiled.obstacles)
