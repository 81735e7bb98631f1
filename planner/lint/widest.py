"""Which operator makes a slot sharing group as wide as it is, and where that is written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from planner.graphs.stream_graph import StreamNode
from planner.job import JobDefinition, Location
from planner.operators import node_label

__all__ = ["group_start", "parallelism_place", "widest_of", "widest_words"]


def widest_of(nodes: Sequence[StreamNode], group: str) -> StreamNode:
    """The widest operator of a group; of several the one whose parallelism was set on it."""
    members = [node for node in nodes if node.slot_sharing_group == group] or list(nodes)
    return max(members, key=lambda node: (node.parallelism, node.parallelism_configured))


def group_start(nodes: Sequence[StreamNode], group: str) -> StreamNode | None:
    """The first operator that was put into the group; the others inherited it."""
    return next((node for node in nodes if node.operator.slot_sharing_group == group), None)


def parallelism_place(job: JobDefinition, node: StreamNode) -> Location:
    """Where a parallelism can be changed: at the operator that sets it, else at the job, whose default it is."""
    if node.operator.parallelism is not None and not node.operator.parallelism_inherited:
        return node.operator.location
    said = re.search(r" at (.+):(\d+)$", job.parallelism_origin or "")
    return Location(said[1], int(said[2])) if said else job.location


def widest_words(job: JobDefinition, node: StreamNode) -> str:
    """What makes the group as wide as it is: an operator's own parallelism, or the job's."""
    if node.operator.parallelism is not None and not node.operator.parallelism_inherited:
        return f"the widest operator there is {node_label(node)} with parallelism {node.parallelism}"
    return f"the job's parallelism is {job.parallelism}"
