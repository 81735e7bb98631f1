"""What a merge condition is, what it looks at, and how it names what it saw."""

from __future__ import annotations

from planner.job import Operator, Partition, SideOutput, Transformation
from planner.records import record
from planner.rules import Condition

__all__ = ["MergeRule", "Pair", "describe_step", "first_key", "is_forward", "last_key"]


@record
class Pair:
    """Two neighbouring Python operators, with everything the merge conditions read."""

    upstream: Operator
    downstream: Operator
    path: tuple[Transformation, ...]  # the virtual steps between them, from the downstream operator on
    upstream_parallelism: int
    downstream_parallelism: int
    consumers: int  # distinct transformations that read the upstream operator
    merging: bool  # python.operator-chaining.enabled


@record(slots=False)
class MergeRule(Condition[Pair, Pair]):
    """One of PyFlink's merge conditions. Everything is known of a pair: the facts are the pair itself."""


def is_forward(step: Transformation) -> bool:
    """Whether a step between two operators leaves records in their subtask."""
    return isinstance(step, Partition) and step.partitioner == "FORWARD"


def describe_step(step: Transformation) -> str:
    """The call that made a virtual step."""
    if isinstance(step, Partition):
        calls = {"HASH": "key_by", "CUSTOM": "partition_custom"}
        return f"{calls.get(step.partitioner, step.partitioner.lower())}()"
    return "get_side_output()" if isinstance(step, SideOutput) else "union()"


def last_key(pair: Pair) -> str:
    """The operator before, as the user wrote it: the last one merged into it."""
    return pair.upstream.merged[-1].key if pair.upstream.merged else pair.upstream.key


def first_key(pair: Pair) -> str:
    """The operator downstream, as the user wrote it: the first one of those merged."""
    return pair.downstream.merged[0].key if pair.downstream.merged else pair.downstream.key
