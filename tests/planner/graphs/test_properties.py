"""What holds for every plan, whatever the job."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.chaining.evaluation import candidate_of
from planner.chaining.registry import RULES
from planner.frontends.yaml.loader import load_job_data
from planner.job import Location
from planner.pipeline import Plan, plan
from tests.support.strategies import Job, jobs

ROOT = Path(__file__).parents[3]
MODES = ("streaming", "batch")

any_job = st.sampled_from(MODES).flatmap(lambda mode: jobs(runtime_mode=mode))
streaming_job = jobs()


def compiled(job: Job) -> Plan:
    return plan(load_job_data(job, Location("random.yaml", 1)))


def reordered(value: Any, seed: int) -> Any:
    """The same data with every mapping's keys in another order; lists keep theirs."""
    if isinstance(value, dict):
        keys = sorted(value)
        random.Random(seed).shuffle(keys)
        return {key: reordered(value[key], seed) for key in keys}
    return [reordered(entry, seed) for entry in value] if isinstance(value, list) else value


@given(any_job)
def test_every_stream_node_is_in_exactly_one_chain(job: Job) -> None:
    made = compiled(job)
    assert made.job_graph is not None
    owners = Counter(node for vertex in made.job_graph.vertices for node in (*vertex.nodes, *vertex.chained_sources))
    assert owners == Counter(node.id for node in made.stream_graph.nodes)


@given(any_job)
def test_every_edge_has_the_obstacles_that_all_rules_find(job: Job) -> None:
    """Every edge gets the obstacles that the twelve rules find on it, also where an edge with equal facts was asked."""
    made = compiled(job)
    for position, found in enumerate(made.obstacles):
        candidate = candidate_of(made.stream_graph, made.obstacles, position)
        assert found == tuple(rule.describe(candidate) for rule in RULES if rule.fails(candidate.facts))


@given(any_job)
def test_an_edge_is_inside_a_chain_or_between_two_but_never_both(job: Job) -> None:
    made = compiled(job)
    assert made.job_graph is not None
    vertex_of = {
        node: position
        for position, vertex in enumerate(made.job_graph.vertices)
        for node in (*vertex.nodes, *vertex.chained_sources)
    }
    between = {edge.stream_edge: edge for edge in made.job_graph.edges}
    for position, (edge, obstacles) in enumerate(zip(made.stream_graph.edges, made.obstacles, strict=True)):
        if obstacles:
            job_edge = between[position]
            assert (job_edge.source, job_edge.target) == (vertex_of[edge.source], vertex_of[edge.target])
        else:
            assert position not in between
            assert vertex_of[edge.source] == vertex_of[edge.target]


@given(any_job)
def test_a_vertex_stands_behind_everything_it_reads(job: Job) -> None:
    made = compiled(job)
    assert made.job_graph is not None
    assert all(edge.source < edge.target for edge in made.job_graph.edges)
    read = {edge.target for edge in made.job_graph.edges}
    sources = [position for position in range(len(made.job_graph.vertices)) if position not in read]
    assert sources == list(range(len(sources))), "sources come first"


@given(any_job)
def test_operator_ids_are_unique_and_name_their_vertices(job: Job) -> None:
    made = compiled(job)
    assert made.job_graph is not None
    assert len(set(made.operator_ids.values())) == len(made.stream_graph.nodes)
    for vertex in made.job_graph.vertices:
        assert vertex.id == made.operator_ids[vertex.head]
        assert vertex.id in vertex.operator_ids


@given(any_job, st.integers())
def test_the_order_of_keys_in_the_file_changes_nothing(job: Job, seed: int) -> None:
    assert compiled(reordered(job, seed)).to_dict() == compiled(job).to_dict()


@given(any_job)
def test_names_change_no_operator_id(job: Job) -> None:
    renamed = job | {"operators": [operator | {"name": "other"} for operator in job["operators"]]}
    assert compiled(renamed).operator_ids == compiled(job).operator_ids


@given(any_job)
def test_uids_change_no_chain(job: Job) -> None:
    named = job | {"operators": [operator | {"uid": f"new {operator['id']}"} for operator in job["operators"]]}
    before, after = compiled(job), compiled(named)
    assert after.obstacles == before.obstacles
    assert after.job_graph is not None
    assert before.job_graph is not None
    assert [vertex.nodes for vertex in after.job_graph.vertices] == [v.nodes for v in before.job_graph.vertices]


@given(streaming_job)
def test_without_chaining_every_edge_says_so(job: Job) -> None:
    made = compiled(job | {"chaining": False})
    assert all("CH001" in [obstacle.code for obstacle in obstacles] for obstacles in made.obstacles)
    assert made.job_graph is not None
    assert len(made.job_graph.vertices) == len(made.stream_graph.nodes)


@given(streaming_job)
def test_every_partition_is_read_and_channels_add_up(job: Job) -> None:
    made = compiled(job)
    graph = made.execution_graph
    assert graph is not None
    assert graph.execution_vertices == sum(graph.parallelisms)
    assert graph.execution_edges == sum(edge.channels for edge in graph.edges)
    for edge in graph.edges:
        assert [consumer for consumer, _, _ in edge.consumed] == list(range(graph.parallelisms[edge.target]))
        read = {partition for _, first, last in edge.consumed for partition in range(first, last + 1)}
        assert read == set(range(graph.parallelisms[edge.source]))


@given(streaming_job)
def test_every_subtask_has_one_slot_and_one_failover_region(job: Job) -> None:
    made = compiled(job)
    assert made.job_graph is not None
    assert made.execution_graph is not None
    assert made.physical is not None
    every = sorted((v, s) for v, count in enumerate(made.execution_graph.parallelisms) for s in range(count))
    assert sorted(subtask for slot in made.physical.slots for subtask in slot) == every
    assert sorted(subtask for region in made.physical.failover_regions for subtask in region) == every
    assert len(made.physical.slots) == made.execution_graph.required_slots
    vertices = made.job_graph.vertices
    for slot in made.physical.slots:
        assert len({vertex for vertex, _ in slot}) == len(slot), "a slot holds one subtask of a vertex"
        assert len({vertices[vertex].slot_sharing_group for vertex, _ in slot}) == 1


@pytest.fixture(scope="module")
def definitions() -> str:
    """A spread of the corpus's jobs, as JSON."""
    lines = (ROOT / "tests/conformance/streaming.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if "plan" in case]
    return json.dumps([case["job"] for case in cases[:300:6]])


def test_two_processes_with_different_hash_seeds_print_the_same_bytes(definitions: str) -> None:
    script = (
        "import json, sys\n"
        "from planner.job import Location\n"
        "from planner.pipeline import plan\n"
        "from planner.frontends.yaml.loader import load_job_data\n"
        "for job in json.load(sys.stdin):\n"
        "    print(json.dumps(plan(load_job_data(job, Location('job.yaml', 1))).to_dict()))\n"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", script],
            input=definitions,
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env=os.environ | {"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "4242")
    ]
    assert outputs[0].count("\n") == len(json.loads(definitions))
    assert outputs[0] == outputs[1]
