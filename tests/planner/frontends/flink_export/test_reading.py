"""Reading exports: told apart by content, both forms of a chain, and messages for what is no export."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from planner.errors import JobDefinitionError, PlanError
from planner.frontends.flink_export.chain_text import read_chain, read_names
from planner.frontends.flink_export.documents import looks_like_export, read_export
from planner.frontends.flink_export.job_plan import read_job_plan
from planner.frontends.flink_export.running import source_kind
from planner.frontends.flink_export.stream_plan import read_stream_plan
from tests.support import flink_exports

TREE = "Source: a<br/>+- parse &gt; 1<br/>   :- x<br/>   :  +- Sink: y<br/>   +- z<br/>"


def links(description: str) -> list[tuple[str, int | None]]:
    return [(link.label, link.parent) for link in read_chain(description)]


def test_a_chain_is_a_tree() -> None:
    assert links(TREE) == [("Source: a", None), ("parse > 1", 0), ("x", 1), ("Sink: y", 2), ("z", 1)]


def test_a_chain_in_one_line_is_the_same_tree() -> None:
    line = "Source: a -&gt; parse &gt; 1 -&gt; (x -&gt; Sink: y, z)"
    assert links(line) == [("Source: a", None), ("parse > 1", 0), ("x", 1), ("Sink: y", 2), ("z", 1)]


def test_brackets_and_commas_inside_of_a_name_do_not_split_it() -> None:
    line = "[1]:Calc(select=[a, b], where=[(a -&gt; b)]) -&gt; Sink: y"
    assert [label for label, _ in links(line)] == ["[1]:Calc(select=[a, b], where=[(a -> b)])", "Sink: y"]


def test_a_name_that_spans_lines_stays_one_operator() -> None:
    assert links("first<br/>second<br/>+- next<br/>") == [("first\nsecond", None), ("next", 0)]


def test_a_long_chain_meets_no_recursion_limit() -> None:
    deep = "a<br/>" + "".join("   " * depth + "+- b<br/>" for depth in range(5_000))
    assert len(read_chain(deep)) == 5_001
    assert len(read_chain(" -&gt; ".join("a" for _ in range(5_000)))) == 5_000


def test_names_lose_the_number_of_their_vertex() -> None:
    assert read_names("[vertex-0]Source: a -> (b, c)") == ["Source: a", "b", "c"]


@pytest.mark.parametrize("name", ["text/flink-info-TopSpeedWindowing.txt", "text/explain-nexmark-q5.txt"])
def test_a_plan_is_found_inside_of_text(name: str) -> None:
    content = (flink_exports.unpacked() / name).read_text(encoding="utf-8")
    assert looks_like_export(content)
    export = read_export(content, name)
    assert export.stream is not None
    assert len(export.stream.nodes) >= 4


@pytest.mark.parametrize("name", flink_exports.planned())
def test_every_kind_is_told_by_its_content(name: str) -> None:
    folder = flink_exports.unpacked() / name
    stream, job = (folder / "streamplan.json").read_text(), (folder / "jobplan.json").read_text()
    assert read_export(stream, "x").stream is not None
    assert read_export(stream, "x").job is None
    assert read_export(job, "x").job is not None
    assert read_export(json.dumps(json.loads(job)["plan"]), "x").job is not None
    assert not looks_like_export((folder / "truth.json").read_text())


def test_our_own_jobs_are_no_exports() -> None:
    root = Path(__file__).parents[4]
    assert not looks_like_export(json.dumps({"operators": [{"id": "s", "type": "source"}]}))
    assert not looks_like_export((root / "samples/word_count/job.yaml").read_text(encoding="utf-8"))


NODE = {"id": 1, "type": "a", "pact": "Data Source", "contents": "a", "parallelism": 1}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"nodes": []}, "has no nodes"),
        ({"nodes": [NODE, NODE]}, "two nodes have the id 1"),
        ({"nodes": [{**NODE, "id": "x"}]}, "nodes[0].id must be a whole number"),
        ({"nodes": [{**NODE, "parallelism": 10**30}]}, "parallelism must be a whole number"),
        ({"nodes": [{**NODE, "type": ["x"]}]}, "nodes[0].type must be text, and is a list"),
        ({"nodes": [{**NODE, "predecessors": {}}]}, "predecessors must be a list"),
        ({"nodes": [{**NODE, "predecessors": [7]}]}, "predecessors[0] must be an object"),
        ({"nodes": [{**NODE, "predecessors": [{"id": 9}]}]}, "the plan has no node 9"),
        ({"nodes": [{**NODE, "predecessors": [{"id": 1}]}]}, "goes in a circle"),
    ],
)
def test_a_wrong_stream_plan_ends_in_a_message(document: dict[str, Any], said: str) -> None:
    with pytest.raises(JobDefinitionError) as caught:
        read_stream_plan(document, "plan.json")
    assert said in str(caught.value)
    assert "plan.json" in str(caught.value)


VERTEX = {"id": "v", "description": "a<br/>", "parallelism": 1}


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"jid": "j", "nodes": []}, "has no nodes"),
        ({"jid": "j", "nodes": [VERTEX, VERTEX]}, "the same id"),
        ({"jid": "j", "nodes": [{**VERTEX, "inputs": [{"id": "w"}]}]}, "the plan has no node w"),
        ({"jid": "j", "nodes": [{**VERTEX, "inputs": [{"id": "v"}]}]}, "goes in a circle"),
        ({"jid": "j", "nodes": [{**VERTEX, "description": None}]}, "description must be text, and is missing"),
        ({"plan": {"jid": "j", "nodes": [3]}}, "plan.nodes[0] must be an object"),
    ],
)
def test_a_wrong_job_plan_ends_in_a_message(document: dict[str, Any], said: str) -> None:
    with pytest.raises(JobDefinitionError) as caught:
        read_job_plan(document, "plan.json")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "{}", "null", "text", '{"nodes": 1}', "[" * 100_000, '{"a":' * 50_000, '{"a": 1e999999}']
)
def test_what_is_no_export_ends_in_a_message(content: str) -> None:
    with pytest.raises(PlanError):
        read_export(content, "file")


def test_an_error_of_flink_is_passed_on() -> None:
    with pytest.raises(PlanError, match="Job could not be found"):
        read_export('{"errors": ["Job could not be found\\nat java"]}', "file")


def test_the_kind_of_a_source_shows_in_its_metrics() -> None:
    assert source_kind(["0.Source__a.sourceIdleTime", "0.Source__a.numRecordsOut"]) == "new"
    assert source_kind(["0.Source__a.numRecordsOut", "0.numRecordsOut"]) == "legacy"
    assert source_kind([]) is None
