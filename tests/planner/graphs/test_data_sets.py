"""When two edges read one intermediate data set: Flink's five conditions, each with its counter-example."""

from __future__ import annotations

from typing import Any

import pytest

from planner import RuntimeExecutionMode, StreamExecutionEnvironment, plan
from planner.frontends.yaml.loader import load_job_data


def sharing(job: Any) -> list[list[str]]:
    """The readers of every data set, by name."""
    graph = plan(job, until="job").job_graph
    assert graph is not None
    found: dict[int, list[str]] = {}
    for edge in graph.edges:
        found.setdefault(edge.data_set, []).append(graph.vertices[edge.target].name)
    return sorted(sorted(readers) for readers in found.values())


def two_readers(first: Any, second: Any, mode: str = "batch", **more: Any) -> Any:
    """A source and two maps that read it, as given; names are `one` and `two`."""
    operators = [
        {"id": "s", "type": "process", "input": "source"},
        {"id": "one", "type": "map", "name": "one", "chaining": "start_new", **first},
        {"id": "two", "type": "map", "name": "two", "chaining": "start_new", **second},
    ]
    source = {"id": "source", "type": "source"}
    return load_job_data({"runtime_mode": mode, "parallelism": 2, "operators": [source, *operators], **more})


def reads(partition: str | None = None, **more: Any) -> dict[str, Any]:
    return {"input": {"from": "s", "partition": partition, **more} if partition else "s"}


TOGETHER, APART = [["one", "two"]], [["one"], ["two"]]


@pytest.mark.parametrize("partition", ["forward", "rebalance", "rescale", "shuffle", "broadcast", "global"])
def test_partitioners_are_equal_by_their_kind(partition: str) -> None:
    assert sharing(two_readers(reads(partition), reads(partition))) == TOGETHER
    assert sharing(two_readers(reads(partition), reads(partition), mode="streaming")) == APART


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (reads(), reads(), TOGETHER),
        (reads(), reads("rescale"), TOGETHER),  # an unwritten forward that does not chain is a rescale
        (reads(), reads("forward"), APART),
        (reads("rebalance"), reads("shuffle"), APART),
        (reads("rebalance"), {**reads("rebalance"), "parallelism": 2}, APART),  # 2 is not "decided at run time"
        (reads("rebalance"), {**reads("rebalance"), "max_parallelism": 64}, APART),
        (reads("rebalance"), reads("rebalance", exchange="batch"), TOGETHER),
        (reads("rebalance"), reads("rebalance", exchange="pipelined"), APART),
        (reads("rebalance", exchange="pipelined"), reads("rebalance", exchange="pipelined"), APART),
        (reads("rebalance", side_output="late"), reads("rebalance", side_output="late"), TOGETHER),
        (reads("rebalance", side_output="late"), reads("rebalance"), APART),
        (reads("custom"), reads("custom"), APART),  # in YAML every custom partition is a call of its own
    ],
)
def test_every_condition_counts(first: Any, second: Any, expected: list[list[str]]) -> None:
    assert sharing(two_readers(first, second)) == expected


def test_two_operators_of_one_chain_never_share() -> None:
    job = load_job_data(
        {
            "runtime_mode": "batch",
            "operators": [
                {"id": "s", "type": "source"},
                {"id": "m", "type": "map", "input": "s"},
                {"id": "one", "type": "map", "name": "one", "input": {"from": "s", "partition": "rebalance"}},
                {"id": "two", "type": "map", "name": "two", "input": {"from": "m", "partition": "rebalance"}},
            ],
        }
    )
    assert sharing(job) == APART


def test_every_key_by_in_yaml_is_a_call_of_its_own() -> None:
    reduce = {"type": "reduce", "input": "s", "key_by": "k"}
    assert sharing(two_readers({**reduce}, {**reduce})) == APART


def numbers(mode: RuntimeExecutionMode) -> Any:
    env = StreamExecutionEnvironment.get_execution_environment()
    env.set_runtime_mode(mode)
    env.set_parallelism(2)
    return env, env.from_collection([1, 2])


def same(value: int) -> int:
    return value


def pick(key: int, count: int) -> int:
    return key % count


BATCH, STREAMING = RuntimeExecutionMode.BATCH, RuntimeExecutionMode.STREAMING


@pytest.mark.parametrize(("mode", "expected"), [(BATCH, TOGETHER), (STREAMING, APART)])
def test_one_keyed_stream_read_twice_shares_in_batch_mode(mode: Any, expected: Any) -> None:
    env, stream = numbers(mode)
    keyed = stream.key_by(same)
    keyed.reduce(max).name("one")
    keyed.reduce(min).name("two")
    assert sharing(env.build()) == expected


def test_two_calls_of_key_by_do_not_share() -> None:
    env, stream = numbers(BATCH)
    stream.key_by(same).reduce(max).name("one")
    stream.key_by(same).reduce(min).name("two")
    assert sharing(env.build()) == APART


def test_a_custom_partitioned_stream_read_twice_shares_and_two_calls_do_not() -> None:
    env, stream = numbers(BATCH)
    parts = stream.partition_custom(pick, same)
    parts.map(same).name("one")
    parts.map(same).name("two")
    assert sharing(env.build()) == TOGETHER
    env, stream = numbers(BATCH)
    stream.partition_custom(pick, same).map(same).name("one")
    stream.partition_custom(pick, same).map(same).name("two")
    assert sharing(env.build()) == APART
