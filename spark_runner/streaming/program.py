"""A streaming job as Spark will run it: vertices in layers, sources in front, sinks behind. Plain data, no PySpark."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from planner.job import Operator, Partitioner, PythonFunction, Reader
from spark_runner.executor.layout import Layout
from spark_runner.program.program import Key, Operation

__all__ = ["Columns", "Flow", "StreamJob", "StreamOperation", "StreamSink", "StreamSource", "StreamVertex"]

Columns = str | int | None  # DDL; the number of the source whose frame has them; None: records travel pickled


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamOperation:
    """One Python operator of a vertex. `parent` is a position in its operations; None reads what arrives."""

    operation: Operation
    id: str  # Flink's operator id

    @property
    def role(self) -> str:
        """Its name in the table of streaming operators."""
        return self.operation.role


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
    custom: PythonFunction | None = None
    reader: tuple[str, str, str] = ("", "", "")
    sql: tuple[Operation, ...] = ()  # SQL operators between the vertex and the sink


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamVertex:
    """One job vertex."""

    number: int
    id: str
    name: str
    layer: int
    parallelism: int
    max_parallelism: int
    operations: tuple[StreamOperation, ...]
    stateful: bool
    watermarks: bool  # it, or somebody behind it, looks at event time
    timers: bool  # processing time may wake it


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSource:
    """A source, and the SQL operators that run on its frame before Python sees a record."""

    number: int
    vertex: int
    operation: Operation
    parallelism: int
    bounded: bool
    feeder: int | None = None  # a vertex in front, where the chain behind the source remembers things
    sql: tuple[Operation, ...] = ()
    records: Any = None  # the job's own records where they are as workers take them

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
class StreamSink:
    """Where streams end; more than one flow may."""

    number: int
    kind: Literal["write", "print", "collect"]
    vertex: int
    node: int
    name: str
    operator: Operator
    parallelism: int
    identifier: str | None = None  # what print puts in front of a record


@dataclass(frozen=True, kw_only=True)
class StreamJob:
    """The whole job."""

    vertices: tuple[StreamVertex, ...]
    flows: tuple[Flow, ...]
    sources: tuple[StreamSource, ...]
    sinks: tuple[StreamSink, ...]
    notes: tuple[str, ...] = ()  # what a user should know before the start
    settings: dict[str, Any] = field(default_factory=dict)
    layout: Layout | None = None  # of a PyFlink script, whose parts are lowered already; else made of the rest

    @property
    def is_script(self) -> bool:
        """Whether it is a job of a PyFlink script."""
        return self.layout is not None

    @property
    def bounded(self) -> bool:
        """Whether the input ends."""
        return all(source.bounded for source in self.sources)

    def split_source(self, flow: Flow) -> StreamSource | None:
        """The Kafka source whose own strategy made a flow's event time: Flink follows it partition by partition.

        A strategy that is assigned further on sees all records of a subtask as one stream.
        """
        source = next((one for one in self.sources if one.entry == flow.source and one.is_kafka), None)
        at = flow.operation
        while source is not None and at is not None:
            one = self.vertices[flow.source].operations[at].operation
            if one.role == "watermarks":
                return source if one.operator.id == source.operator.id else None
            at = one.parent
        return None

    @cached_property
    def layers(self) -> tuple[tuple[StreamVertex, ...], ...]:
        """The vertices of every layer behind the sources'."""
        last = max((vertex.layer for vertex in self.vertices), default=0)
        return tuple(tuple(v for v in self.vertices if v.layer == number) for number in range(1, last + 1))

    @cached_property
    def slots(self) -> int:
        """How many partitions layers with state have: all of them, since Spark gives every one the same number."""
        stateful = [any(v.stateful for v in layer) for layer in self.layers]
        counts = [v.parallelism for layer, kept in zip(self.layers, stateful, strict=True) if kept for v in layer]
        return max(counts, default=1)
