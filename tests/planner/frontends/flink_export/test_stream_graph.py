"""Stream graphs of StreamGraphExport.java: planned as Flink planned them, and complete."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from planner.errors import InternalError, JobDefinitionError, PlanError
from planner.explanation.explain import explain_plan
from planner.frontends.flink_export.stream_graph import is_stream_graph
from planner.frontends.loading import load_job
from planner.observed.loading import is_export, load_observed
from planner.pipeline import plan
from tests.support import flink_exports
from tests.support.odd_json import mutated
from tests.support.verdict_checks import complaints


def truth(name: str) -> Any:
    return json.loads((flink_exports.unpacked_graphs() / name / "truth.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", flink_exports.graphs())
def test_the_plan_is_flinks_own(name: str) -> None:
    path = flink_exports.unpacked_graphs() / name / "export.json"
    compiled = plan(load_job(path), until="job")
    true = truth(name)
    assert compiled.operator_ids == {node["id"]: node["operator_id"] for node in true["nodes"]}
    assert compiled.job_graph is not None
    assert [(vertex.id, vertex.parallelism, vertex.operator_ids) for vertex in compiled.job_graph.vertices] == [
        (vertex["id"], vertex["parallelism"], tuple(vertex["operator_ids"])) for vertex in true["vertices"]
    ]


@pytest.mark.parametrize("name", flink_exports.graphs())
def test_the_exports_of_the_same_jobs_hold_no_wrong_answer(name: str) -> None:
    folder = flink_exports.unpacked_graphs() / name
    alone = load_observed(str(folder / "streamplan.json"))
    both = load_observed(str(folder / "streamplan.json"), str(folder / "jobplan.json"))
    assert complaints(alone, truth(name)) == []
    assert complaints(both, truth(name)) == []


def test_its_explanation_is_as_complete_as_of_our_own_jobs() -> None:
    compiled = plan(load_job(flink_exports.unpacked_graphs() / "2.3/slots-and-chains/export.json"), until="execution")
    found = [[obstacle.code for obstacle in edge.obstacles] for edge in explain_plan(compiled).edges]
    assert found == [["CH003"], ["CH005"], ["CH005"], ["CH004"], []]
    assert compiled.job.operators[0].location.line == 9


def test_it_is_planned_and_not_observed(tmp_path: Path) -> None:
    path = flink_exports.unpacked_graphs() / "2.3/uids/export.json"
    assert is_stream_graph(path)
    assert not is_export(str(path))
    assert not is_stream_graph(flink_exports.unpacked_graphs() / "2.3/uids/streamplan.json")


NODE = {
    "id": 1, "name": "a", "parallelism": 1, "max_parallelism": -1, "slot_sharing_group": "default",
    "chaining_strategy": "ALWAYS", "source": "new", "inputs": [],
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"format": "plan-stream-graph/9"}, "this version of plan reads"),
        ({"nodes": []}, "no nodes"),
        ({"nodes": [NODE, NODE]}, "two with the same id"),
        ({"nodes": [{**NODE, "inputs": [4]}]}, "inputs must be a list of edges"),
        ({"nodes": [{**NODE, "chaining_strategy": "SOMETIMES"}]}, "must be one of ALWAYS"),
        ({"nodes": [{**NODE, "parallelism": "many"}]}, "must be a whole number"),
        ({"edges": [{"source": 1, "target": 7, "partitioner": "FORWARD"}]}, "has no node at an end"),
        ({"edges": [{"source": 1, "target": 1, "partitioner": "FORWARD"}]}, "are not the edges of the graph"),
        (
            {"nodes": [{**NODE, "inputs": [0]}], "edges": [{"source": 1, "target": 1, "partitioner": "FORWARD"}]},
            "goes in a circle",
        ),
    ],
)
def test_a_wrong_graph_ends_in_a_message(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    whole = {"format": "plan-stream-graph/1", "name": "x", "type": "STREAMING", "nodes": [NODE], "edges": []}
    path.write_text(json.dumps(whole | changes), encoding="utf-8")
    with pytest.raises(JobDefinitionError) as caught:
        load_job(path)
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["2.3/uids", "2.3/sql-join3-batch", "1.20/diamond"])
def test_changed_graphs_end_in_a_plan_or_in_a_message(name: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.json"
    document = json.loads((flink_exports.unpacked_graphs() / name / "export.json").read_text(encoding="utf-8"))
    for seed in range(60):
        changed = {**mutated(document, random.Random(f"{name} {seed}")), "format": "plan-stream-graph/1"}
        path.write_text(json.dumps(changed), encoding="utf-8")
        try:
            explain_plan(plan(load_job(path), until="execution"))
        except PlanError as error:
            assert not isinstance(error, InternalError)
