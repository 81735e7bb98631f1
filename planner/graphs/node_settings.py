"""The settings of a stream node: its operator's own, else inherited from its inputs, the job or Flink."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from planner.flink.defaults import BUFFER_TIMEOUT
from planner.flink.profile import FlinkProfile
from planner.graphs.stream_graph import (
    BUFFER_TIMEOUT_DISABLED,
    DEFAULT_SLOT_SHARING_GROUP,
    UNSET_MAX_PARALLELISM,
    ChainingStrategy,
    NodeRole,
    StreamNode,
)
from planner.graphs.stream_origins import Origin
from planner.job import JobDefinition, Operator, Partition, Union
from planner.kinds import NEVER_KEYED, TWO_INPUTS

__all__ = ["NodeSettings"]


class NodeSettings:
    """Makes stream nodes; `nodes` are those made so far, from which later ones inherit."""

    def __init__(self, job: JobDefinition, batch: bool, flink: FlinkProfile, nodes: Mapping[int, StreamNode]) -> None:
        self.job = job
        self.batch = batch
        self.flink = flink
        self.nodes = nodes

    def node_of(
        self, operator: Operator, node_id: int, name: str, role: NodeRole, inputs: Sequence[tuple[Origin, ...]]
    ) -> StreamNode:
        """The stream node that an operator, or one role of a sink, becomes."""
        job = self.job
        single = operator.kind == "source" and operator.legacy and not operator.parallel
        fixed_by_flink = single or (self.batch and role != "operator" and self.flink.sink_parallelism_is_set)
        set_by_user = operator.parallelism is not None and not operator.parallelism_inherited
        return StreamNode(
            id=node_id,
            name=name,
            parallelism=operator.parallelism or (1 if single else self.inherited_parallelism(operator)),
            parallelism_configured=set_by_user or fixed_by_flink,
            max_parallelism=operator.max_parallelism or job.max_parallelism or UNSET_MAX_PARALLELISM,
            slot_sharing_group=self.group(operator, inputs),
            co_location_group=self.co_location_group(operator, role),
            chaining_strategy=self.strategy(operator, role),
            sorted_input=self.sorts_input(operator, role),
            source=None if operator.kind != "source" else "legacy" if operator.legacy else "new",
            yielding=(operator.kind == "async_map" and operator.python is None) or role == "writer",
            buffer_timeout=self.buffer_timeout(operator if role == "operator" else None),
            uid=_role_uid(operator.uid, role),
            user_hash=operator.uid_hash.lower() if operator.uid_hash else None,
            role=role,
            operator=operator,
        )

    def inherited_parallelism(self, operator: Operator) -> int:
        """The job's, except for watermarks: Flink gives these the parallelism of the stream they are put on."""
        if operator.kind != "watermarks":
            return self.job.parallelism
        current = self.job.by_id[operator.inputs[0]]
        while not isinstance(current, Operator):
            current = self.job.by_id[current.inputs[0] if isinstance(current, Union) else current.input]
        return self.nodes[current.id].parallelism

    def group(self, operator: Operator, inputs: Sequence[tuple[Origin, ...]]) -> str:
        return self.inherited_group(inputs) if operator.slot_sharing_group is None else operator.slot_sharing_group

    def co_location_group(self, operator: Operator, role: NodeRole) -> str | None:
        """The operator's, where this version hands it on to the parts of an expanded sink."""
        if operator.co_location_group is None:
            return operator.co_locates
        kept = role == "operator" or self.flink.sink_parts_co_locate
        return operator.co_location_group if kept else None

    def inherited_group(self, inputs: Sequence[tuple[Origin, ...]]) -> str:
        """The group that all inputs agree on, else the default."""
        groups = {self.nodes[origin.node].slot_sharing_group for origins in inputs for origin in origins}
        return groups.pop() if len(groups) == 1 else DEFAULT_SLOT_SHARING_GROUP

    def strategy(self, operator: Operator, role: NodeRole) -> ChainingStrategy:
        if operator.chaining == "disable":
            return "NEVER"
        if operator.chaining == "start_new" or self.sorts_input(operator, role):
            return "HEAD"
        if operator.kind == "multi_input" and operator.chain_sources:
            return "HEAD_WITH_SOURCES"
        if operator.kind == "source" and operator.legacy:
            return "HEAD"
        if operator.kind in TWO_INPUTS and operator.python is None:  # Python operators say ALWAYS themselves
            return self.flink.two_input_strategy
        return "ALWAYS"

    def sorts_input(self, operator: Operator, role: NodeRole) -> bool:
        """Whether batch mode sorts an input by key: one keyed input of two is enough."""
        keyless = role not in ("operator", "writer") or operator.helper == "collect"  # Flink gives these no key
        if not self.batch or keyless or operator.kind in NEVER_KEYED:
            return False
        inputs = [self.job.by_id[number] for number in operator.inputs]
        return any(isinstance(step, Partition) and step.partitioner == "HASH" for step in inputs)

    def buffer_timeout(self, operator: Operator | None) -> int:
        if operator is not None and operator.buffer_timeout is not None and operator.buffer_timeout >= 0:
            return operator.buffer_timeout
        if self.batch:
            return BUFFER_TIMEOUT_DISABLED
        return BUFFER_TIMEOUT if self.job.buffer_timeout is None else self.job.buffer_timeout


_ROLE_UIDS: Final[Mapping[NodeRole, str]] = {
    "coordinator": "{}: FileSinkCompactorCoordinator",
    "compactor": "{}: FileSinkCompactorOperator",
    "committer": "Sink Committer: {}",
}


def _role_uid(uid: str | None, role: NodeRole) -> str | None:
    """The writer keeps the sink's uid; Flink derives those of the other parts from it."""
    return uid if uid is None else _ROLE_UIDS.get(role, "{}").format(uid)
