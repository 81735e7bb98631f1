"""Vertices between which records travel in chunks: every stream, and every PyFlink script. Plain data, no PySpark.

A vertex is one job vertex, in layers: every exchange starts one. Flows run between vertices, or from one to a sink.
SQL operators are optional parts at both ends: on a source's frame, and between a vertex and a sink.
"""

from __future__ import annotations

from collections.abc import Sequence as Records
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from planner.job import Operator, Partitioner, PythonFunction, Reader
from spark_runner.program.program import Key, Operation

__all__ = ["COMMITTED_BY", "ChunkPlan", "ChunkSink", "ChunkSource", "Columns", "Flow", "Vertex"]

COMMITTED_BY = "committedOffsetsOfGroup"  # an option of Kafka's reader that is ours: where this group stands
Columns = str | int | None  # DDL; the number of the source whose frame has them; None: records travel pickled


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """A stream from a vertex to another vertex, or to a sink (`target` is -1 - its number)."""

    number: int
    source: int
    operation: int | None  # position in the source's operations; None: what arrives there
    tag: str | None
    target: int
    columns: Columns
    declared_by: int | None = None
    position: int = 0
    strategy: Partitioner = "FORWARD"
    producers: int = 1
    consumers: int = 1
    ranges: tuple[tuple[int, int, int], ...] = ()  # pointwise: consumer, first and last producer
    max_parallelism: int = 128
    key: Key | None = None
    pairs: bool = False  # records are pairs of key and record, of which the reader gets both
    custom: PythonFunction | None = None
    reader: tuple[str, str, str] = ("", "", "")
    sql: tuple[Operation, ...] = ()  # SQL operators between the vertex and the sink


@dataclass(frozen=True, slots=True, kw_only=True)
class Vertex:
    """One job vertex as workers run it, or a feeder."""

    number: int
    id: str
    name: str
    layer: int
    parallelism: int
    max_parallelism: int
    operations: tuple[Operation, ...]
    stateful: bool
    watermarks: bool  # it, or somebody downstream, looks at event time

    @property
    def idle(self) -> int | None:
        """Milliseconds without records after which its subtasks hold nobody back."""
        return next((one.idle for one in self.operations if one.idle is not None), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSource:
    """A source, and the SQL operators that run on its frame before Python sees a record."""

    number: int
    vertex: int
    operation: Operation  # its operator's behaviour is what Spark reads, or the job's own records
    parallelism: int
    bounded: bool
    feeder: int | None = None  # a vertex upstream, where the source's own chain remembers things
    sql: tuple[Operation, ...] = ()
    records: Records[object] | None = None  # the job's own records where they are as workers take them
    paths: tuple[str, ...] = ()  # where a reader of files reads several

    @property
    def entry(self) -> int:
        """The vertex where its records come in."""
        return self.vertex if self.feeder is None else self.feeder

    @property
    def operator(self) -> Operator:
        """The source's operator."""
        return self.operation.operator

    @property
    def is_kafka(self) -> bool:
        """Whether it reads Kafka."""
        behaviour = self.operator.behaviour
        return isinstance(behaviour, Reader) and behaviour.format.lower() == "kafka"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSink:
    """Where streams end; more than one flow may."""

    number: int
    kind: Literal["write", "print", "collect"]
    vertex: int
    node: int
    name: str
    operator: Operator
    parallelism: int


@dataclass(frozen=True, kw_only=True)
class ChunkPlan:
    """The whole job. The vertices of the job graph come first, in its order; those added for sources follow."""

    vertices: tuple[Vertex, ...]
    flows: tuple[Flow, ...]
    sources: tuple[ChunkSource, ...]
    sinks: tuple[ChunkSink, ...]
    notes: tuple[str, ...] = ()  # what a user should know before the start
    script: bool = False  # of a PyFlink script: its functions see, and its records are converted, as PyFlink does it

    @property
    def bounded(self) -> bool:
        """Whether the input ends."""
        return all(source.bounded for source in self.sources)

    def flows_into(self, sink: ChunkSink) -> list[Flow]:
        """The streams that end in a sink."""
        return [flow for flow in self.flows if flow.target == -1 - sink.number]

    def split_source(self, flow: Flow) -> ChunkSource | None:
        """The Kafka source whose own strategy made a flow's event time: Flink follows it partition by partition.

        A strategy that is assigned further on sees all records of a subtask as one stream.
        """
        source = next((one for one in self.sources if one.entry == flow.source and one.is_kafka), None)
        at = flow.operation
        while source is not None and at is not None:
            one = self.vertices[flow.source].operations[at]
            if one.role == "watermarks":
                return source if one.operator.id == source.operator.id else None
            at = one.parent
        return None

    @cached_property
    def layers(self) -> tuple[tuple[Vertex, ...], ...]:
        """The vertices of every layer downstream of the sources'."""
        last = max((vertex.layer for vertex in self.vertices), default=0)
        return tuple(tuple(v for v in self.vertices if v.layer == number) for number in range(1, last + 1))

    @cached_property
    def slots(self) -> int:
        """How many partitions layers with state have: all of them, since Spark gives every one the same number."""
        stateful = [any(v.stateful for v in layer) for layer in self.layers]
        counts = [v.parallelism for layer, kept in zip(self.layers, stateful, strict=True) if kept for v in layer]
        return max(counts, default=1)
