"""Random jobs that real Flink compiled, against what Flink made of them."""

from __future__ import annotations

import json

import pytest

from planner.observed.judgement import decide
from planner.observed.loading import load_observed
from tests.support import flink_exports
from tests.support.verdict_checks import complaints


def test_the_jobs_are_there() -> None:
    assert len(flink_exports.random_jobs()) == 97


@pytest.mark.parametrize("name", flink_exports.random_jobs())
def test_no_answer_is_wrong_and_nothing_undecided(name: str) -> None:
    folder = flink_exports.unpacked_random() / name
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    alone = load_observed(str(folder / "streamplan.json"))
    both = load_observed(str(folder / "streamplan.json"), str(folder / "jobplan.json"))
    assert complaints(alone, truth) == []
    assert complaints(both, truth) == []


@pytest.mark.parametrize("name", flink_exports.random_jobs())
def test_a_job_plan_alone_has_all_chains(name: str) -> None:
    folder = flink_exports.unpacked_random() / name
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    job = load_observed(str(folder / "jobplan.json"))
    sizes = {vertex["id"]: len(vertex["operator_ids"]) for vertex in truth["vertices"]}
    assert {vertex.id: len(vertex.members) for vertex in job.vertices} == sizes
    home = {operator: vertex["id"] for vertex in truth["vertices"] for operator in vertex["operator_ids"]}
    for operator in job.operators:
        if operator.operator_id is not None:
            assert operator.vertex is not None
            assert home[operator.operator_id] == job.vertices[operator.vertex].id


def test_the_head_of_an_iteration_is_taken_in_by_no_operator() -> None:
    """An edge from it, into an operator with several inputs, is certainly not chained."""
    seen = 0
    for name in flink_exports.random_jobs():
        job = load_observed(str(flink_exports.unpacked_random() / name / "streamplan.json"))
        for edge, verdict in zip(job.edges, decide(job), strict=True):
            if edge.source is not None and job.operators[edge.source].iteration_end:
                seen += 1
                assert (verdict.chained, verdict.certainty) == (False, "certain")
                assert "CH002" in verdict.reasons
    assert seen
