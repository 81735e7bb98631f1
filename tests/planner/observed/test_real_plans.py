"""All exports of real Flink, against what Flink really did."""

from __future__ import annotations

import pytest

from planner.frontends.flink_export.documents import read_document
from planner.observed.job import ObservedJob
from planner.observed.judgement import decide
from planner.observed.loading import load_observed, observe
from tests.support import flink_exports
from tests.support.verdict_checks import complaints


def loaded(*names: str) -> ObservedJob:
    return load_observed(*(str(flink_exports.unpacked() / name) for name in names))


def test_the_exports_are_there() -> None:
    assert len(flink_exports.planned()) == 15
    assert len(flink_exports.recorded()) == 4


@pytest.mark.parametrize("name", flink_exports.names())
def test_a_stream_plan_alone_is_a_forecast(name: str) -> None:
    job = loaded(f"{name}/streamplan.json")
    assert complaints(job, flink_exports.read(f"{name}/truth.json")) == []
    assert not any(verdict.chained and verdict.certainty == "certain" for verdict in decide(job))
    assert not any(operator.operator_id for operator in job.operators)


@pytest.mark.parametrize("name", flink_exports.planned())
def test_with_the_job_plan_nothing_is_undecided(name: str) -> None:
    job = loaded(f"{name}/streamplan.json", f"{name}/jobplan.json")
    assert complaints(job, flink_exports.read(f"{name}/truth.json")) == []


@pytest.mark.parametrize("name", flink_exports.planned())
def test_the_order_of_the_two_plans_does_not_matter(name: str) -> None:
    one = loaded(f"{name}/streamplan.json", f"{name}/jobplan.json")
    other = loaded(f"{name}/jobplan.json", f"{name}/streamplan.json")
    assert decide(one) == decide(other)
    assert one.operators == other.operators


@pytest.mark.parametrize("name", flink_exports.planned())
def test_a_job_plan_alone_knows_the_chains(name: str) -> None:
    job = loaded(f"{name}/jobplan.json")
    truth = flink_exports.read(f"{name}/truth.json")
    chains = {tuple(sorted(job.operators[one].description for one in vertex.members)) for vertex in job.vertices}
    nodes = {node["id"]: node["contents"] for node in flink_exports.read(f"{name}/streamplan.json")["nodes"]}
    expected: dict[str, list[str]] = {}
    for node in truth["nodes"]:
        expected.setdefault(node["vertex"], []).append(nodes[node["id"]])
    assert chains == {tuple(sorted(names)) for names in expected.values()}
    heads = {job.operators[vertex.members[0]].operator_id for vertex in job.vertices}
    assert heads == {vertex["id"] for vertex in truth["vertices"]}


@pytest.mark.parametrize("name", flink_exports.recorded())
def test_a_recorded_cluster_tells_more_than_a_job_plan(name: str) -> None:
    job = loaded(name)
    assert complaints(job, flink_exports.read(f"{name}/truth.json")) == []
    assert all(len(verdict.possible) <= 3 for verdict in decide(job))


def test_slot_sharing_groups_are_certain_on_a_running_cluster() -> None:
    reasons = [verdict.reasons for verdict in decide(loaded("rest/1.20/tuned-slot-groups"))]
    assert reasons.count(("CH003",)) == 2


def test_an_adaptive_batch_job_tells_its_exchanges() -> None:
    job = observe(read_document(flink_exports.read("rest/2.3/nexmark-q20-batch/job.json"), "job.json"))
    verdicts = decide(job)
    assert [verdict.chained for verdict in verdicts] == [True, True, False, False, True, True]
    assert all("CH008" in verdict.reasons for verdict in verdicts if not verdict.chained)


def test_most_ids_are_told() -> None:
    told = [
        operator.operator_id is not None
        for name in flink_exports.planned()
        for operator in loaded(f"{name}/streamplan.json", f"{name}/jobplan.json").operators
    ]
    assert sum(told) >= 0.75 * len(told)
