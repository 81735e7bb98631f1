"""Which operators are keyed: decided once, for names, state, batch mode and running alike."""

from __future__ import annotations

from planner import StreamExecutionEnvironment
from planner.frontends.python.declared.functions import CoProcessFunction
from planner.graphs.state import state_of
from planner.job import JobDefinition
from planner.pipeline import plan


def connected(*, first: bool, second: bool) -> JobDefinition:
    env = StreamExecutionEnvironment.get_execution_environment()
    left, right = env.from_collection([1]), env.from_collection([2])
    one = left.key_by(lambda value: value) if first else left
    two = right.key_by(lambda value: value) if second else right
    one.connect(two).process(CoProcessFunction()).print()
    return env.build("connected")


def test_two_inputs_are_keyed_only_where_both_are() -> None:
    for first in (True, False):
        for second in (True, False):
            job = connected(first=first, second=second)
            node = next(node for node in plan(job).stream_graph.nodes if node.operator.kind == "co_process")
            keyed = first and second
            assert job.is_keyed(node.operator) is keyed
            assert node.name == ("Co-Keyed-Process" if keyed else "Co-Process")
            assert state_of(job, node) == ("keyed" if keyed else "possible")
