"""A streaming job as workers need it: vertices in layers, and the edges between them. No PySpark.

Every exchange starts a layer. A vertex lies one layer after the farthest of its inputs, so a layer's vertices never
feed each other. Subtasks are numbered through the whole job: that number is the `producer` in every chunk they send.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from spark_runner.executor.inlined import Inlined
from spark_runner.executor.positions import subtask_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["EdgeSpec", "InputSpec", "Layout", "OperatorSpec", "SourceSpec", "VertexSpec"]

Strategy = Literal["FORWARD", "REBALANCE", "RESCALE", "SHUFFLE", "BROADCAST", "GLOBAL", "HASH", "CUSTOM"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorSpec:
    """One operator of a vertex. `parent` None reads what arrives at the vertex."""

    role: str
    function: Any
    parent: int | None
    tag: str | None  # reads this side output of the parent
    id: str  # Flink's operator id: its state is found by it
    key: str  # how messages name it
    name: str
    place: str
    keyed: bool = False
    inlined: Inlined | None = None  # the expression that its function is
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeSpec:
    """A stream that leaves a vertex, for another vertex or for a sink (`target` is then -1 - the sink's number)."""

    number: int
    node: int | None  # position of the operator; None: what arrives at the vertex
    tag: str | None
    target: int
    position: int = 0  # which input of the reader
    strategy: Strategy = "FORWARD"
    consumers: int = 1
    ranges: tuple[tuple[int, int], ...] = ()  # pointwise: the first and the last consumer of each producer
    selector: Callable[[Any], Any] | None = None
    key_column: int | None = None  # where the selector only reads this column
    custom: Callable[[Any, int], int] | None = None
    pairs: bool = False  # records are pairs of key and record, of which readers get both
    max_parallelism: int = 128
    schema: pa.Schema | None = None  # None: records travel pickled
    blame: int | None = None  # the operator that declared the columns
    reader: tuple[str, str, str] = ("", "", "")  # who reads it: key, name, place
    watermarks: bool = False  # somebody downstream looks at event time
    by_split: bool = False  # its watermarks are those of single partitions of Kafka


@dataclass(frozen=True, slots=True, kw_only=True)
class InputSpec:
    """A stream that arrives: from which producers, and where its keys are."""

    edge: int
    position: int
    first_producer: int
    producers: int
    ranges: tuple[tuple[int, int], ...] = ()  # pointwise: the first and the last producer of each consumer
    key_column: int | None = None  # where keys are this column, and travel nowhere else
    schema: pa.Schema | None = None
    idle: int | None = None  # milliseconds without records after which a producer, or a split, holds nobody back
    splits: tuple[int, ...] | None = None  # that are known of a source whose splits stand on their own

    def channels(self, subtask: int) -> range:
        """The producers that one subtask reads from."""
        first, last = self.ranges[subtask] if self.ranges else (0, self.producers - 1)
        return range(self.first_producer + first, self.first_producer + last + 1)

    def splits_of(self, producer: int) -> tuple[int, ...]:
        """The known splits that a producer reads."""
        number = producer - self.first_producer
        return tuple(split for split in self.splits or () if subtask_of(split, self.producers) == number)


@dataclass(frozen=True, slots=True, kw_only=True)
class VertexSpec:
    """One job vertex."""

    number: int
    id: str
    name: str
    layer: int
    parallelism: int
    first_producer: int
    operators: tuple[OperatorSpec, ...]
    inputs: tuple[InputSpec, ...]
    edges: tuple[EdgeSpec, ...]
    stateful: bool = False
    watermarks: bool = False  # it, or somebody downstream, looks at event time
    max_parallelism: int = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceSpec:
    """Where records come in, and the names of their columns."""

    number: int
    vertex: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Layout:
    """The whole job. Shipped once, pickled."""

    vertices: tuple[VertexSpec, ...]
    sources: tuple[SourceSpec, ...]
    script: bool = False  # of a PyFlink script: functions see what PyFlink shows them

    @cached_property
    def edges(self) -> dict[int, EdgeSpec]:
        """All edges by their number."""
        return {edge.number: edge for vertex in self.vertices for edge in vertex.edges}

    @cached_property
    def layers(self) -> tuple[tuple[VertexSpec, ...], ...]:
        """The vertices of every layer after the sources'."""
        last = max((vertex.layer for vertex in self.vertices), default=0)
        return tuple(tuple(v for v in self.vertices if v.layer == number) for number in range(1, last + 1))
