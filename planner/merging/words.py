"""How merge conditions name operators and what stands between them."""

from __future__ import annotations

from planner.job import Partition, SideOutput, Transformation
from planner.merging.condition import Pair

__all__ = ["describe_step", "first_key", "is_forward", "last_key"]


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
    """The operator behind, as the user wrote it: the first one of those merged."""
    return pair.downstream.merged[0].key if pair.downstream.merged else pair.downstream.key
