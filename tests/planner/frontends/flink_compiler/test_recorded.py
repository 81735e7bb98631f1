"""Graphs that Flink 2.3 compiled, planned by us: equal to Flink's own job graph. Recorded, so no Flink is needed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from planner.frontends.flink_export.stream_graph import graph_text, job_of_graph, load_stream_graph
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
        assert compiled.flink.version == "2.3"


def test_a_saved_graph_is_read_as_it_was_compiled(tmp_path: Path) -> None:
    one = json.loads(RECORDED[0].read_text())[0]
    file = tmp_path / "graph.json"
    file.write_text(graph_text(one["job"]))
    assert differences(plan(load_stream_graph(file), until="job"), one["truth"]) == []
    assert load_stream_graph(file).operators[0].location.line > 1  # each node has a line of its own
