"""Exports with parts that are changed, removed or of another type end in an answer or in a message."""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import pytest

from cli.render.pictures.operators import job_picture, stream_picture
from cli.render.text.explanation import edge_lines, explanation_lines
from cli.render.text.live import live_lines
from cli.render.text.stages import stage_lines
from planner.chaining.evaluation import check_conditions
from planner.diff.drift import deployed_plan, find_drift
from planner.errors import PlanError
from planner.explanation.explain import explain_plan
from planner.explanation.order import explain_order
from planner.frontends.flink_export.documents import Export, read_document
from planner.frontends.flink_export.live import read_live
from planner.observed.loading import observe
from planner.observed.plan import plan_observed
from tests.support import flink_exports
from tests.support.fake_cluster import recorded_answers
from tests.support.odd_json import mutated

ROUNDS = 60


def use(export: Export) -> None:
    """Everything that commands do with an export."""
    job = observe(export)
    plan = plan_observed(job, "plan.json")
    find_drift(deployed_plan(plan), deployed_plan(plan))
    explanation = explain_plan(plan)
    explanation_lines(explanation, spec=None)
    for edge in explanation.edges:
        edge_lines(edge, check_conditions(plan, edge.position))
    stage_lines(plan, ("stream", "job"))
    for picture in (job_picture, stream_picture):
        picture(plan, explanation=explanation)
    explanation.to_dict()
    plan.to_dict()
    assert plan.job_graph is not None
    explain_order(plan.job_graph, compiled=False)


@pytest.mark.parametrize("name", ["1.20/Iterate", "2.3/nexmark-q5", "2.3/nexmark-q20-batch", "2.3/tuned-slot-groups"])
def test_changed_plans(name: str) -> None:
    stream, job = (flink_exports.read(f"{name}/{file}.json") for file in ("streamplan", "jobplan"))
    for seed in range(ROUNDS):
        chance = random.Random(f"{name} {seed}")
        with suppress(PlanError):
            use(read_document(mutated(stream, chance), "plan"))
        with suppress(PlanError):
            use(read_document(mutated(job, chance), "plan"))
        with suppress(PlanError):
            beside = read_document(mutated(job, chance), "plan")
            use(read_document(mutated(stream, chance), "plan").beside(beside))


@pytest.mark.parametrize("name", ["rest/2.3/nexmark-q20-batch", "rest/2.3/tuned-heavy-alone"])
def test_changed_answers_of_a_cluster(name: str) -> None:
    answers = recorded_answers(flink_exports.unpacked() / name)
    base = next(path for path in answers if path.endswith("/plan")).removesuffix("/plan")

    class Lying:
        def __init__(self, seed: int) -> None:
            self.chance = random.Random(f"{name} {seed}")

        def ask(self, path: str) -> Any:
            return mutated(answers.get(base + path, []), self.chance) if answers.get(base + path) else None

    for seed in range(ROUNDS):
        cluster = Lying(seed)
        with suppress(PlanError):
            export = read_document(cluster.ask(""), "job")
            use(export)
            live_lines(observe(export), read_live(cluster))
