"""Which stream nodes a transformation stands for, and what the virtual steps between ask of the edge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from planner.errors import PlanningError
from planner.job import Exchange, JobDefinition, Operator, Partition, SideOutput, Union
from planner.records import maker, record

__all__ = ["NodeOrigin", "Origins"]


@record
class NodeOrigin:
    """A stream node that an input stands for, with what the virtual transformations between ask of the edge."""

    node: int
    partition: Partition | None = None  # the nearest to the consumer decides the partitioner
    exchange: Exchange | None = None  # the nearest to the producer decides the exchange mode, as in Flink
    side_output: str | None = None


class Origins:
    """Follows unions, partitions and side outputs back to the operators upstream of them.

    `ids` is Flink's one counter of transformations: it also numbers what is virtual. `nodes` are the stream nodes made
    so far: the node of an operator has its id.
    """

    def __init__(self, job: JobDefinition, ids: Iterator[int], nodes: Mapping[int, object]) -> None:
        self.job = job
        self.ids = ids
        self.nodes = nodes
        self.known: dict[int, tuple[NodeOrigin, ...]] = {}
        self.make = maker(NodeOrigin)

    def resolve(self, transformation_id: int) -> tuple[NodeOrigin, ...]:
        """The stream nodes that a transformation stands for; virtual ones are resolved once, innermost first."""
        if transformation_id in self.nodes:
            return (self.make(node=transformation_id),)
        path = [transformation_id]
        while path:
            current = path[-1]
            if current in self.known:
                path.pop()
                continue
            transformation = self.job.by_id[current]
            if isinstance(transformation, Operator):
                raise PlanningError(
                    f"{transformation.key} is read before it is defined", location=transformation.location
                )
            sources = transformation.inputs if isinstance(transformation, Union) else (transformation.input,)
            missing = [source for source in sources if source not in self.nodes and source not in self.known]
            if missing:
                path.extend(reversed(missing))
                continue
            self.known[current] = tuple(self.fold(transformation))
            path.pop()
        return self.known[transformation_id]

    def upstream(self, source: int) -> tuple[NodeOrigin, ...]:
        """The origins of a transformation that is a stream node or was resolved before."""
        return (self.make(node=source),) if source in self.nodes else self.known[source]

    def fold(self, transformation: Union | Partition | SideOutput) -> Iterator[NodeOrigin]:
        """What one virtual transformation makes of the origins upstream of it."""
        if isinstance(transformation, Union):
            for source in transformation.inputs:
                yield from self.upstream(source)
            return
        for origin in self.upstream(transformation.input):
            next(self.ids)  # Flink numbers a virtual node for each
            if isinstance(transformation, SideOutput):
                yield self.make(
                    node=origin.node,
                    partition=origin.partition,
                    exchange=origin.exchange,
                    side_output=transformation.tag,
                )
            else:
                exchange = origin.exchange if origin.partition else transformation.exchange
                yield self.make(
                    node=origin.node, partition=transformation, exchange=exchange, side_output=origin.side_output
                )
