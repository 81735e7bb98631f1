"""Drift between what was planned and what runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from planner.diff.change import Change
from planner.diff.drift import (
    DeployedJob,
    DeployedOperator,
    Drift,
    deployed_plan,
    deployed_side,
    deployed_snapshot,
    find_drift,
)
from planner.diff.versions import Version
from planner.errors import OptionError
from planner.frontends.flink_export.documents import read_document
from planner.frontends.loading import load_job
from planner.observed.labels import short_chain_name, with_sources
from planner.observed.loading import load_export, observe
from planner.observed.plan import plan_observed
from planner.pipeline import plan
from planner.snapshots.snapshot import EdgeSnapshot, OperatorSnapshot, Snapshot, take_snapshot
from tests.support import flink_exports
from tests.support.flink_exports import job_plan_of

CORPUS = Path(__file__).parents[2] / "conformance/streaming.jsonl"


def side(name: str) -> DeployedJob:
    return deployed_plan(load_export(str(flink_exports.unpacked() / name)))


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
    planned = deployed_plan(plan(load_job(folder / "export.json"), until="execution"))
    found = find_drift(planned, deployed_plan(load_export(str(folder / "jobplan.json"))))
    assert [one for one in found if one.kind != "chain"] == []


def test_every_job_of_ours_is_what_its_job_plan_shows(tmp_path: Path) -> None:
    path = tmp_path / "job.json"
    for line in CORPUS.read_text(encoding="utf-8").splitlines()[:60]:
        case = json.loads(line)
        if "plan" not in case:
            continue
        path.write_text(json.dumps(case["job"]), encoding="utf-8")
        compiled = plan(load_job(path), until="execution")
        planned = deployed_plan(compiled)
        running = deployed_plan(plan_observed(observe(read_document(job_plan_of(compiled), "plan")), "plan"))
        found = [one for one in find_drift(planned, running) if "Multiple Input" not in one.subject]
        assert found == [], case["case"]


def kinds(found: tuple[Change, ...]) -> dict[str, tuple[Any, Any]]:
    return {one.kind: (one.before, one.after) for one in found}


def changed(**changes: Any) -> tuple[Change, ...]:
    """The drift of the recorded job from a plan whose second vertex has these changes."""
    running = side("rest/2.3/tuned-heavy-alone")
    vertices = list(running.vertices)
    vertices[1] = replace(vertices[1], **changes)
    return find_drift(replace(running, vertices=tuple(vertices)), running)


def test_another_parallelism_is_one_line() -> None:
    found = changed(parallelism=4)
    assert kinds(found) == {"parallelism": (4, 2)}
    assert found[0].level == "performance"


def test_another_id_loses_state() -> None:
    (found,) = changed(id="0" * 32)
    assert (found.kind, found.level) == ("id", "state-breaking")
    assert found.message.endswith("its state would not be found")


def test_another_max_parallelism_loses_state() -> None:
    (found,) = changed(max_parallelism=256)
    assert (found.kind, found.level) == ("max parallelism", "state-breaking")


def test_another_chain_is_told_with_both() -> None:
    (found,) = changed(chain=("model", "more"))
    assert found.kind == "chain"
    assert found.message.endswith(": planned as model -> more, runs as model; generated ids depend on the chain")
    assert found.level == "state-breaking", "the ids of chained operators without a uid change with their chain"


def test_another_ship_strategy_names_the_edge() -> None:
    (found,) = changed(inputs={(0, "REBALANCE"): 1})
    assert found.kind == "ship strategy"
    assert found.subject == "Source: events -> parse -> model"
    assert "by REBALANCE as planned, and by FORWARD as it runs" in found.message


def test_a_chain_with_another_head_is_the_same_one_under_another_id() -> None:
    """It is told by the operators that are in it, as two versions of a job are: its state is there, and not found."""
    found = find_drift(side("rest/1.20/tuned-slot-groups"), side("rest/2.3/tuned-heavy-alone"))
    told = {(one.kind, one.subject) for one in found}
    assert {("id", "Sink: out"), ("chain", "Sink: out"), ("not deployed", "count")} <= told
    assert not [one for one in found if one.kind == "not planned"]
    assert not [one for one in found if "nothing" in one.message]
    edge = next(one for one in found if one.kind == "ship strategy")
    assert edge.message == "score -> Sink: out: is no edge as planned, and one by FORWARD as it runs"


def test_the_parallelism_of_the_one_of_two_that_differs_is_named() -> None:
    twins = [DeployedOperator(name="map", parallelism=number, ships={}) for number in (2, 4)]
    planned = DeployedJob(name="job", vertices=(), operators=tuple(twins), slots=None)
    (found,) = find_drift(planned, replace(planned, operators=(twins[0], replace(twins[1], parallelism=3))))
    assert (found.before, found.after) == (4, 3)


def test_vertices_that_only_one_side_has() -> None:
    running = side("rest/2.3/tuned-heavy-alone")
    fewer = replace(running, vertices=running.vertices[:2])
    assert [one.kind for one in find_drift(fewer, running)] == ["not planned"]
    assert find_drift(fewer, running)[0].level == "state-breaking"
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
    running = deployed_plan(load_export(job))
    assert find_drift(deployed_plan(load_export(stream)), running) == ()
    assert find_drift(deployed_plan(load_export(stream, job)), running) == ()


@pytest.mark.parametrize("name", [name for name in flink_exports.recorded() if "batch" not in name])
def test_a_job_plan_is_compared_by_descriptions(name: str) -> None:
    """A cluster has names, a job plan alone has descriptions: a window has another one."""
    assert find_drift(side(f"{name}/plan.json"), side(f"{name}/job.json")) == ()


def test_another_window_is_drift_by_descriptions(tmp_path: Path) -> None:
    name = next(name for name in flink_exports.planned() if "TopSpeed" in name)
    content = (flink_exports.unpacked() / name / "jobplan.json").read_text(encoding="utf-8")
    other = tmp_path / "jobplan.json"
    other.write_text(content.replace("Window(", "Other(", 1), encoding="utf-8")
    found = find_drift(side(f"{name}/jobplan.json"), deployed_plan(load_export(str(other))))
    assert [one.kind for one in found] == ["chain"]


def test_sources_inside_of_an_operator_are_named_in_one_order() -> None:
    assert with_sources("join", ["b", "a"]) == with_sources("join [b, a]", ()) == "join [a, b]"
    assert short_chain_name("[7]:MultipleInput(readOrder=[0]) [[2]:TableSourceScan(t=[a, b]), Source: k]") == (
        "MultipleInput[7] [Source: k, TableSourceScan[2]]"
    )


def test_chains_of_a_baseline_begin_at_their_head() -> None:
    """A baseline lists operators by their keys; a chain is named in the order in which records pass it."""
    chained = EdgeSnapshot(source=1, target=0, input=0, partitioner="FORWARD", chained=True)
    operators = tuple(
        OperatorSnapshot(
            key=name, name=name, kind="map", id=id_ * 32, uid=None, user_hash=None, state="none", parallelism=2,
            max_parallelism=-1, group="default",
        )
        for name, id_ in (("Sink: out", "b"), ("Source: in", "a"))
    )  # fmt: skip
    snapshot = Snapshot(name="job", mode="streaming", operators=operators, edges=(chained,), slots=None)
    (vertex,) = deployed_snapshot(snapshot).vertices
    assert (vertex.id, vertex.chain) == ("a" * 32, ("Source: in", "Sink: out"))


@pytest.mark.parametrize(("baseline", "advice"), [(False, "say which one: jobs.sql:1, jobs.sql:3"), (True, "pipeline")])
def test_of_planned_jobs_with_one_name_none_is_guessed(baseline: bool, advice: str) -> None:
    """SQL names every INSERT into a table alike; the second one is `NAME #2` in a snapshot."""
    taken = take_snapshot(plan(load_job(Path("samples/word_count/job.yaml")), until="execution"))
    snapshots = tuple(replace(taken, name=name) for name in ("insert a", "insert b", "insert a #2"))
    version = Version(argument="jobs.sql", snapshots=snapshots, is_baseline=baseline)
    assert deployed_side(version, "insert b")[0].name == "insert b"
    with pytest.raises(OptionError, match=r"jobs\.sql has 3 jobs, and 2 are called 'insert a'") as refused:
        deployed_side(version, "insert a")
    assert advice in str(refused.value.hint)


@pytest.mark.parametrize("batch", [False, True])
def test_what_flink_makes_while_a_batch_job_runs_is_no_drift(batch: bool) -> None:
    """As a cluster of Flink 2.3 showed a SQL job: the join was not made yet, and a source had another id."""
    planned = replace(
        deployed_plan(plan(load_job(Path("samples/word_count/job.yaml")), until="execution")), batch=batch
    )
    first, *_ = planned.vertices
    later = replace(first, id="2963852293169ba90d9d1e7d6308db5c", max_parallelism=4)
    running = replace(planned, vertices=(later,), slots=None)
    kinds = {one.kind for one in find_drift(planned, running)}
    assert kinds == (set() if batch else {"id", "max parallelism", "not deployed"})
    compared = Drift(planned=planned, running=running).compared
    assert ("ids" in compared) is not batch
