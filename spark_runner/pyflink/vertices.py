"""The vertices of a PyFlink job while lowering still adds operators and streams to them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.job import Operator
from spark_runner.executor.layout import EdgeSpec, InputSpec, OperatorSpec, VertexSpec
from spark_runner.pyflink.program import Counted

__all__ = ["VertexDraft", "partitioner_of", "reader_of"]


@dataclass(slots=True, kw_only=True)
class VertexDraft:
    """A vertex under construction."""

    number: int
    id: str
    name: str
    layer: int
    parallelism: int
    groups: int
    first_producer: int
    operators: list[OperatorSpec] = field(default_factory=list)
    whose: list[tuple[StreamNode, Operator]] = field(default_factory=list)  # of every part
    inputs: list[InputSpec] = field(default_factory=list)
    edges: list[EdgeSpec] = field(default_factory=list)
    counted: list[Counted] = field(default_factory=list)
    idle: int | None = None  # milliseconds without records after which a subtask holds nobody back

    def freeze(self, *, streaming: bool) -> VertexSpec:
        """The vertex as workers get it. All of a stream behind the first exchange keep where event time stands."""
        return VertexSpec(
            number=self.number,
            id=self.id,
            name=self.name,
            layer=self.layer,
            parallelism=self.parallelism,
            first_producer=self.first_producer,
            operators=tuple(self.operators),
            inputs=tuple(self.inputs),
            edges=tuple(self.edges),
            stateful=streaming and self.layer > 0,
            watermarks=True,
            max_parallelism=self.groups,
        )

    def add(
        self, node: StreamNode, operator: Operator, parent: int | None, tag: str | None, role: str,
        options: dict[str, Any], function: Any = None, keyed: bool = False, state_id: str | None = None,
    ) -> int:  # fmt: skip
        """Put a part behind another one; its number."""
        self.operators.append(
            OperatorSpec(
                role=role, function=function, parent=parent, tag=tag, id=state_id or f"{node.id}-{len(self.operators)}",
                key=operator.key, name=operator.name or node.name, place=str(operator.location), keyed=keyed,
                options=options,
            )
        )  # fmt: skip
        self.whose.append((node, operator))
        return len(self.operators) - 1


def reader_of(node: StreamNode) -> tuple[str, str, str]:
    """Who reads a stream: key, name, place."""
    return node.operator.key, node.name, str(node.operator.location)


def partitioner_of(edge: StreamEdge) -> Any:
    """The function that chooses a record's subtask."""
    if edge.partitioner != "CUSTOM" or edge.partition is None or edge.partition.custom is None:
        return None
    target = edge.partition.custom.target
    return getattr(target, "partition", target)
