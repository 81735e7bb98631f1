"""Graphs of Flink 2.3 and 1.20, planned by us: equal to Flink's own job graph. Recorded, so no Flink is needed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.explanation.explain import explain_plan
from planner.frontends.flink_export.stream_graph import graph_text, job_of_graph, load_stream_graph
from planner.graphs.state_lookup import keep_state, uid_recipe
from planner.pipeline import plan
from tests.support.flink_truth import differences

RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.json"))


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_the_plan_is_flinks_own(file: Path) -> None:
    jobs = json.loads(file.read_text())
    assert jobs
    for one in jobs:
        compiled = plan(job_of_graph(one["job"], file.name, {}), until="job")
        assert differences(compiled, one["truth"]) == []
        assert compiled.flink.version == ("1.20" if file.stem.endswith("-1.20") else "2.3")


def test_reasons_are_in_the_words_of_sql() -> None:
    one = json.loads((RECORDED[0].parent / "nexmark.json").read_text())[4]["job"]
    explained = explain_plan(plan(job_of_graph(one, "job.sql", {}), until="execution"))
    told = {edge.asked_by for edge in explained.edges if edge.partitioner == "HASH"}
    assert told
    assert all("takes its records by key" in words for words in told)
    changes = [str(obstacle.change) for edge in explained.edges for obstacle in edge.obstacles]
    assert not [words for words in changes if "`" in words or "()" in words]


@pytest.mark.parametrize("file", ["job.sql", "graph.json", "table_job.py", "tables.jar"])
def test_advice_about_uids_is_what_sql_can_do(file: str) -> None:
    one = json.loads((RECORDED[0].parent / "nexmark.json").read_text())[4]["job"]
    operator = next(one for one in job_of_graph(one, file, {}).operators if "Aggregate" in one.name)
    for advice in (uid_recipe(operator, "0" * 32), keep_state(operator, "0" * 32)):
        assert ".uid(" not in advice
    assert "COMPILE PLAN" in uid_recipe(operator, "0" * 32)


@pytest.mark.parametrize(("name", "from_sql"), [("own_all", True), ("jar-Sql", True), ("jar-Two", False)])
def test_what_the_sql_planner_made_is_known_in_any_program(name: str, from_sql: bool) -> None:
    one = json.loads((RECORDED[0].parent / f"{name}.json").read_text())[0]["job"]
    assert {one.from_sql for one in job_of_graph(one, "graph.json", {}).operators} == {from_sql}


def test_a_saved_graph_is_read_as_it_was_compiled(tmp_path: Path) -> None:
    one = json.loads(RECORDED[0].read_text())[0]
    file = tmp_path / "graph.json"
    file.write_text(graph_text(one["job"]))
    assert differences(plan(load_stream_graph(file), until="job"), one["truth"]) == []
    assert load_stream_graph(file).operators[0].location.line > 1  # each node has a line of its own
