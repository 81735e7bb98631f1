"""Drift between what was planned and what runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planner.frontends.flink_export.documents import read_document
from planner.frontends.loading import load_job
from planner.observed.drift import DeployedJob, Drift, deployed_observed, deployed_snapshot, find_drift
from planner.observed.labels import short_chain_name, with_sources
from planner.observed.loading import load_observed, observe
from planner.pipeline import plan
from planner.snapshots.snapshot import take_snapshot
from tests.support import flink_exports
from tests.support.flink_exports import job_plan_of

CORPUS = Path(__file__).parents[2] / "conformance/streaming.jsonl"


def side(name: str) -> DeployedJob:
    return deployed_observed(load_observed(str(flink_exports.unpacked() / name)))


@pytest.mark.parametrize("name", flink_exports.recorded())
def test_a_job_does_not_drift_from_itself(name: str) -> None:
    assert find_drift(side(name), side(name)) == ()


@pytest.mark.parametrize("name", [name for name in flink_exports.recorded() if "batch" not in name])
def test_the_stream_plan_beside_a_job_makes_no_drift(name: str) -> None:
    assert find_drift(side(f"{name}/job.json"), side(name)) == ()


@pytest.mark.parametrize("name", [name for name in flink_exports.recorded() if "batch" not in name])
def test_the_stream_plan_of_a_running_job_is_no_drift(name: str) -> None:
    assert find_drift(side(f"{name}/streamplan.json"), side(f"{name}/job.json")) == ()


@pytest.mark.parametrize("name", [name for name in flink_exports.graphs() if "batch" not in name])
def test_an_exported_graph_is_what_its_job_plan_shows(name: str) -> None:
    folder = flink_exports.unpacked_graphs() / name
    if "cascading" in name or "odd-names" in name:
        return  # their descriptions are not their names
    planned = deployed_snapshot(take_snapshot(plan(load_job(folder / "export.json"), until="execution")))
    found = find_drift(planned, deployed_observed(load_observed(str(folder / "jobplan.json"))))
    assert [one for one in found if one.kind != "chain"] == []


def test_every_job_of_ours_is_what_its_job_plan_shows(tmp_path: Path) -> None:
    path = tmp_path / "job.json"
    for line in CORPUS.read_text(encoding="utf-8").splitlines()[:60]:
        case = json.loads(line)
        if "plan" not in case:
            continue
        path.write_text(json.dumps(case["job"]), encoding="utf-8")
        compiled = plan(load_job(path), until="execution")
        planned = deployed_snapshot(take_snapshot(compiled))
        running = deployed_observed(observe(read_document(job_plan_of(compiled), "plan")))
        found = [one for one in find_drift(planned, running) if "Multiple Input" not in one.subject]
        assert found == [], case["case"]


def kinds(found: tuple[Drift, ...]) -> dict[str, tuple[Any, Any]]:
    return {one.kind: (one.planned, one.running) for one in found}


def changed(**changes: Any) -> tuple[Drift, ...]:
    """The drift of the recorded job from a plan whose second vertex has these changes."""
    running = side("rest/2.3/tuned-heavy-alone")
    vertices = list(running.vertices)
    vertices[1] = replace(vertices[1], **changes)
    return find_drift(replace(running, vertices=tuple(vertices)), running)


def test_another_parallelism_is_one_line() -> None:
    found = changed(parallelism=4)
    assert kinds(found) == {"parallelism": (4, 2)}
    assert not found[0].state


def test_another_id_loses_state() -> None:
    (found,) = changed(id="0" * 32)
    assert found.kind == "id"
    assert found.state
    assert found.message.endswith("its state would not be found")


def test_another_max_parallelism_loses_state() -> None:
    (found,) = changed(max_parallelism=256)
    assert (found.kind, found.state) == ("max parallelism", True)


def test_another_chain_is_told_with_both() -> None:
    (found,) = changed(chain=("model", "more"))
    assert found.kind == "chain"
    assert found.message == "planned as model -> more, runs as model; generated ids depend on the chain"
    assert found.state, "the ids of chained operators without a uid change with their chain"


def test_another_ship_strategy_names_the_edge() -> None:
    (found,) = changed(inputs={(0, "REBALANCE"): 1})
    assert found.kind == "ship strategy"
    assert found.subject == "Source: events -> parse -> model"
    assert "by REBALANCE as planned, and by FORWARD as it runs" in found.message


def test_vertices_that_only_one_side_has() -> None:
    running = side("rest/2.3/tuned-heavy-alone")
    fewer = replace(running, vertices=running.vertices[:2])
    assert [one.kind for one in find_drift(fewer, running)] == ["not planned"]
    assert find_drift(fewer, running)[0].state
    assert [one.kind for one in find_drift(running, fewer)] == ["not deployed"]


def test_slots_are_compared_where_the_groups_are_known() -> None:
    running = side("rest/1.20/tuned-slot-groups")
    assert running.slots is not None
    (found,) = find_drift(replace(running, slots=running.slots + 1), running)
    assert found.kind == "slots"


@pytest.mark.parametrize("name", flink_exports.random_jobs())
def test_the_plans_of_one_random_job_do_not_drift(name: str) -> None:
    """Sources inside of an operator, twins whose place is open, and what batch mode makes of forward edges."""
    folder = flink_exports.unpacked_random() / name
    stream, job = str(folder / "streamplan.json"), str(folder / "jobplan.json")
    running = deployed_observed(load_observed(job))
    assert find_drift(deployed_observed(load_observed(stream)), running) == ()
    assert find_drift(deployed_observed(load_observed(stream, job)), running) == ()


@pytest.mark.parametrize("name", [name for name in flink_exports.recorded() if "batch" not in name])
def test_a_job_plan_is_compared_by_descriptions(name: str) -> None:
    """A cluster has names, a job plan alone has descriptions: a window has another one."""
    assert find_drift(side(f"{name}/plan.json"), side(f"{name}/job.json")) == ()


def test_another_window_is_drift_by_descriptions(tmp_path: Path) -> None:
    name = next(name for name in flink_exports.planned() if "TopSpeed" in name)
    content = (flink_exports.unpacked() / name / "jobplan.json").read_text(encoding="utf-8")
    other = tmp_path / "jobplan.json"
    other.write_text(content.replace("Window(", "Other(", 1), encoding="utf-8")
    found = find_drift(side(f"{name}/jobplan.json"), deployed_observed(load_observed(str(other))))
    assert [one.kind for one in found] == ["chain"]


def test_sources_inside_of_an_operator_are_named_in_one_order() -> None:
    assert with_sources("join", ["b", "a"]) == with_sources("join [b, a]", ()) == "join [a, b]"
    assert short_chain_name("[7]:MultipleInput(readOrder=[0]) [[2]:TableSourceScan(t=[a, b]), Source: k]") == (
        "MultipleInput[7] [Source: k, TableSourceScan[2]]"
    )
