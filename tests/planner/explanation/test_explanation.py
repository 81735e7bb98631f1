"""Explanations against the corpus: every advice is tried out, every figure counted again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from planner.chaining.evaluation import check_conditions
from planner.errors import OptionError
from planner.explanation.explain import Explanation, explain_plan
from planner.explanation.order import explain_order
from planner.explanation.selection import select_edges
from planner.explanation.settings import apply_settings
from planner.explanation.what_if import compare
from planner.frontends.yaml.loader import load_job_data
from planner.graphs.job_graph import JobGraph
from planner.job import JobDefinition, Location
from planner.operators import describe_operators, matches
from planner.pipeline import Plan, plan

CORPUS = Path(__file__).parents[2] / "conformance"


def accepted(*names: str) -> Iterator[Any]:
    for name in names:
        for number, text in enumerate((CORPUS / name).read_text(encoding="utf-8").splitlines(), start=1):
            case = json.loads(text)
            if "plan" in case:
                yield pytest.param(load_job_data(case["job"], Location(name, number)), id=case["case"])


STREAMING = list(accepted("handmade.jsonl", "streaming.jsonl"))
ALL = [*STREAMING, *accepted("batch.jsonl")]


def job_of(operators: list[dict[str, Any]], **settings: Any) -> JobDefinition:
    return load_job_data({"operators": operators, **settings}, Location("job.yaml", 1))


def pipeline(*steps: dict[str, Any], **settings: Any) -> JobDefinition:
    """A source and the steps behind it, each reading the one before unless it says otherwise."""
    operators: list[dict[str, Any]] = [{"id": "source", "type": "source"}]
    for step in steps:
        operators.append({"input": operators[-1]["id"], **step})
    return job_of(operators, **settings)


def changed(job: JobDefinition, *settings: str) -> tuple[Plan, Explanation]:
    before = plan(job, until="execution")
    after = plan(apply_settings(job, describe_operators(before).values(), settings), until="execution")
    return after, explain_plan(after)


@pytest.mark.parametrize("job", STREAMING)
def test_what_is_advised_chains_the_edge(job: JobDefinition) -> None:
    before = explain_plan(plan(job, until="execution"))
    for edge in before.between:
        if edge.settings:
            _, after = changed(job, *edge.settings)
            assert after.edges[edge.position].chained, (edge.settings, after.edges[edge.position].obstacles)


@pytest.mark.parametrize("job", ALL)
def test_every_edge_has_a_verdict_that_says_why(job: JobDefinition) -> None:
    for edge in explain_plan(plan(job)).edges:
        assert edge.chained == (not edge.obstacles)
        advised = bool(edge.changes) or (edge.advice is not None and edge.advice.why_not is not None)
        assert advised == (edge.verdict == "broken"), "a change that gains, or why there is none"
        if edge.verdict == "needed":
            assert any(obstacle.needed for obstacle in edge.obstacles)


@pytest.mark.parametrize("job", STREAMING[::5])
def test_all_twelve_conditions_come_out_as_the_obstacles_say(job: JobDefinition) -> None:
    compiled = plan(job, until="stream")
    for position, obstacles in enumerate(compiled.obstacles):
        conditions = check_conditions(compiled, position)
        assert len(conditions) == 12
        assert [c.code for c in conditions if not c.holds] == [o.code for o in obstacles]
        assert all(condition.found for condition in conditions)


@pytest.mark.parametrize("job", ALL)
def test_the_figures_add_up(job: JobDefinition) -> None:
    compiled = plan(job)
    explanation = explain_plan(compiled)
    execution = compiled.execution_graph
    figures = explanation.summary
    if execution is None:
        assert figures.tasks is figures.channels is figures.slots is figures.buffers_to_start is None
        return
    traffic = [edge.traffic for edge in explanation.between if edge.traffic]
    assert figures.channels == sum(t.channels for t in traffic) == execution.execution_edges
    assert figures.tasks == sum(chain.parallelism for chain in explanation.chains)
    assert figures.operators == sum(len(chain.links) for chain in explanation.chains)
    assert figures.slots == sum(slots for _, slots in figures.slots_by_group)
    assert figures.buffers_to_start == sum(t.buffers_to_start for t in traffic)
    assert figures.buffers_to_start_apart == figures.buffers_to_start + 2 * figures.channels
    assert all(t.gates < t.buffers_to_start <= t.buffers_to_start_apart for t in traffic)
    assert figures.buffers_wanted == sum(t.buffers_wanted for t in traffic)


def walk(graph: JobGraph) -> list[int | None]:
    """Who places whom, by walking the outputs as Flink does; outputs in the order of the stream edges behind them."""
    inputs: dict[int, set[int]] = {number: set() for number in range(len(graph.vertices))}
    outputs: dict[int, list[int]] = {number: [] for number in inputs}
    for edge in sorted(graph.edges, key=lambda edge: (edge.data_set, edge.stream_edge)):
        inputs[edge.target].add(edge.source)
        outputs[edge.source].append(edge.target)
    placed_by: dict[int, int | None] = {number: None for number, of in inputs.items() if not of}
    for start in range(len(graph.vertices)):
        stack = [(start, iter(outputs[start]))]
        while stack:
            source, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                stack.pop()
            elif target not in placed_by and inputs[target] <= placed_by.keys():
                placed_by[target] = source
                stack.append((target, iter(outputs[target])))
    return [placed_by[number] for number in range(len(graph.vertices))]


@pytest.mark.parametrize("job", ALL)
def test_the_order_names_the_vertex_that_placed_each(job: JobDefinition) -> None:
    graph = plan(job, until="job").job_graph
    assert graph is not None
    assert [placement.placed_by for placement in explain_order(graph)] == walk(graph)


def test_an_implicit_rebalance_is_named_as_flinks_own() -> None:
    edge = explain_plan(plan(pipeline({"id": "m", "type": "map", "parallelism": 4}))).edges[0]
    assert edge.partitioner == "REBALANCE"
    assert edge.asked_by == "Flink itself: the job asks for none, and parallelism differs (1 -> 4)"
    assert edge.changes == ("set the parallelism of m to 1",)
    assert edge.settings == ("m.parallelism=1",)


def test_where_a_parallelism_comes_from() -> None:
    job = job_of(
        [
            {"id": "one", "type": "source", "legacy": True, "parallel": False},
            {"id": "own", "type": "map", "input": "one", "parallelism": 3},
            {"id": "default", "type": "map", "input": "own"},
        ],
        parallelism=5,
    )
    found = {ref.key: (ref.parallelism, ref.parallelism_from) for ref in describe_operators(plan(job)).values()}
    assert found == {"one": (1, "flink"), "own": (3, "operator"), "default": (5, "job")}


def test_a_change_upstream_that_orphans_state_downstream_is_reported() -> None:
    job = pipeline({"id": "m", "type": "map"}, {"id": "s", "type": "sum", "key_by": "k", "field": "v"})
    before = explain_plan(plan(job, until="execution"))
    _, after = changed(job, "m.chaining=disable")
    difference = compare(["m.chaining=disable"], before, after)
    assert [edge.target.key for edge in difference.newly_broken] == ["m"]
    assert "s" in {item.after.key for item in difference.changed_ids}
    _, kept = changed(job, "m.chaining=disable", "s.uid=totals")
    assert kept.chains[-1].links[0].operator.uid == "totals"


def test_a_change_of_nothing_is_nothing() -> None:
    job = pipeline({"id": "m", "type": "map"})
    before = explain_plan(plan(job, until="execution"))
    _, after = changed(job, "m.parallelism=1")
    assert compare(["m.parallelism=1"], before, after).nothing


@pytest.mark.parametrize(
    ("setting", "complaint", "hint"),
    [
        ("m", "not of the form", "--set map.parallelism=4"),
        ("m.paralelism=4", "'paralelism' cannot be set", "did you mean `parallelism`?"),
        ("n.parallelism=4", "there is no operator 'n'", "there are: job, source"),
        ("m.parallelism=0", "parallelism must be at least 1, found 0", None),
        ("m.parallelism=many", "must be a whole number, found the text 'many'", None),
        ("m.max_parallelism=40000", "must be at most 32768, found 40000", None),
        ("job.chaining=maybe", "must be true or false, found the text 'maybe'", None),
        ("m.chaining=startnew", "must be one of start_new, disable, found", "did you mean `start_new`?"),
        ("m.partition=forward", "none to change", "add rebalance()"),
        ("m.uid_hash=abc", "32 hexadecimal digits", None),
        ("Map.parallelism=2", "may be any of m (job.yaml:1), other (job.yaml:1)", "by its key"),
    ],
)
def test_a_wrong_setting_says_what_is_wrong(setting: str, complaint: str, hint: str | None) -> None:
    job = pipeline({"id": "m", "type": "map"}, {"id": "other", "type": "map"})
    with pytest.raises(OptionError) as refusal:
        changed(job, setting)
    assert complaint in refusal.value.message
    if hint:
        assert refusal.value.hint is not None and hint in refusal.value.hint


@pytest.mark.parametrize(
    "word",
    ["source:m", "Source: Custom Source:Map", "1:2", "source : m", "map:sum-uid", "map:keyed-aggregation", "map:sum"],
)
def test_an_edge_is_found_by_what_users_call_its_ends(word: str) -> None:
    job = pipeline(
        {"id": "m", "type": "map"}, {"id": "s", "type": "sum", "key_by": "k", "field": "v", "uid": "sum-uid"}
    )
    edges = explain_plan(plan(job)).edges
    found = select_edges(edges, word)
    assert [edge.source.key for edge in found] == (["m"] if word.startswith("map:") else ["source"])


def test_an_edge_that_may_be_several_lists_them() -> None:
    job = job_of(
        [
            {"id": "a", "type": "source"},
            {"id": "b", "type": "map", "input": "a"},
            {"id": "c", "type": "map", "input": "a"},
        ]
    )
    edges = explain_plan(plan(job)).edges
    with pytest.raises(OptionError) as refusal:
        select_edges(edges, "a:Map")
    assert refusal.value.hint is not None and "--edge 1:2" in refusal.value.hint and "--edge 1:3" in refusal.value.hint
    with pytest.raises(OptionError, match="no edge from b to c"):
        select_edges(edges, "b:c")
    with pytest.raises(OptionError, match="no operator 'x'"):
        select_edges(edges, "a:x")
    assert matches("nobody", describe_operators(plan(job)).values()) == []
