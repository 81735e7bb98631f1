"""Passes while lowering adds to them, and where each stream of a job is found among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal

from planner.errors import UnsupportedOnSpark
from planner.graphs.stream_graph import StreamEdge, StreamGraph, StreamNode
from planner.job import Operator
from spark_runner.program.program import Engine, Inlet, Operation, Outlet, Pass, Sink

__all__ = ["Drafts", "PassDraft", "Place", "Stream"]


@dataclass(slots=True)
class PassDraft:
    """A pass under construction."""

    step: int
    engine: Engine
    parallelism: int
    operations: list[Operation] = field(default_factory=list)
    inlets: list[Inlet] = field(default_factory=list)
    outlets: list[Outlet] = field(default_factory=list)
    grouped: bool = False

    def freeze(self) -> Pass:
        return Pass(
            step=self.step,
            engine=self.engine,
            parallelism=self.parallelism,
            operations=tuple(self.operations),
            inlets=tuple(self.inlets),
            outlets=tuple(self.outlets),
            grouped=self.grouped,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """The records of one operator (or of one of its side outputs) inside the program."""

    source: int  # pass
    operation: int | None
    tag: str | None
    pickled: bool
    columns: str | None = None
    declared_by: int | None = None

    def after(self, source: int) -> Stream:
        """The same records, as the input of another pass."""
        return replace(self, source=source, operation=None, tag=None, declared_by=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an operation stands: its pass, and its position there."""

    draft: int
    operation: int


class Drafts:
    """All passes, streams and sinks of a program so far."""

    def __init__(self, graph: StreamGraph) -> None:
        self._graph = graph
        self.passes: list[PassDraft] = []
        self.sinks: list[Sink] = []
        self._streams: dict[tuple[int, str | None], Stream] = {}

    def add(self, draft: PassDraft) -> int:
        """A new pass; its number."""
        self.passes.append(draft)
        return len(self.passes) - 1

    def append(self, number: int, operation: Operation) -> Place:
        """One more operation in a pass."""
        operations = self.passes[number].operations
        operations.append(operation)
        return Place(draft=number, operation=len(operations) - 1)

    def publish(self, node: int, stream: Stream) -> None:
        """Let others read an operator's records, or those of its side output `stream.tag`."""
        self._streams[node, stream.tag] = stream

    def replace_main(self, node: int, stream: Stream) -> None:
        """Let others read these records as the operator's own."""
        self._streams[node, None] = stream

    def main_stream(self, node: int) -> Stream:
        """The records an operator gives, without its side outputs."""
        return self._streams[node, None]

    def stream(self, edge: StreamEdge) -> Stream:
        """The records that an edge carries."""
        stream = self._streams.get((edge.source, edge.side_output))
        if stream is None:
            operator = self._graph.by_id[edge.source].operator
            raise UnsupportedOnSpark(
                f"operator {operator.key!r} has no side output {edge.side_output!r} when it runs as SQL",
                location=operator.location,
                hint="side outputs come from process functions",
            )
        return stream

    def engine(self, stream: Stream) -> Engine:
        """What the pass of a stream runs in."""
        return self.passes[stream.source].engine

    def outlet(self, stream: Stream, wanted: Outlet) -> int:
        """The outlet of a stream's pass with these properties: one that is there already, or a new one."""
        outlets = self.passes[stream.source].outlets
        wanted = replace(
            wanted, pickled=stream.pickled or wanted.pickled, columns=stream.columns, declared_by=stream.declared_by
        )
        for number, outlet in enumerate(outlets):
            if replace(outlet, readers=1) == wanted:
                outlets[number] = replace(outlet, readers=outlet.readers + 1)
                return number
        outlets.append(wanted)
        return len(outlets) - 1

    def end(
        self, stream: Stream, wanted: Outlet, kind: Literal["write", "print", "drain"], node: StreamNode,
        operator: Operator, step: int, parallelism: int,
    ) -> None:  # fmt: skip
        """Let a stream end in a sink."""
        self.sinks.append(
            Sink(
                source=stream.source,
                outlet=self.outlet(stream, wanted),
                kind=kind,
                node=node.id,
                name=node.name,
                operator=operator,
                step=step,
                parallelism=parallelism,
            )
        )

    def unread(self) -> Iterator[Place]:
        """Operations whose records nobody reads, and that no other stream of their pass carries along."""
        for number, draft in enumerate(self.passes):
            read = {one.parent for one in draft.operations} | {one.operation for one in draft.outlets}
            for at in range(len(draft.operations)):
                carried = draft.engine == "python" and draft.outlets
                if at not in read and not carried:
                    yield Place(draft=number, operation=at)
