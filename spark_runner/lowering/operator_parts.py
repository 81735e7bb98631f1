"""What lowering asks a front end: what its sources, operators and sinks are when they run.

Jobs of our own API and PyFlink scripts are lowered by the same walk. They differ in what one operator is on a worker,
in what moves records between subtasks, and in where records are converted to their declared types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from planner.graphs.stream_graph import StreamEdge, StreamNode
from planner.job import Operator, PythonFunction
from spark_runner.executor.inlined import Inlined
from spark_runner.program.program import Key

__all__ = ["OperatorPart", "OperatorsOf", "Routing", "SinkEnd", "SourceEnd", "not_in_chunks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorPart:
    """One operator, or one part of a merged one, as workers run it."""

    role: str
    function: Any = None  # an object of the user's
    keyed: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    idle: int | None = None
    inlined: Inlined | None = None  # its function as the one expression it is


OperatorParts = Sequence[
    tuple[Operator, OperatorPart, str]
]  # what messages name, how it runs, and how its state's id ends


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEnd:
    """A source: what Spark reads or the job's own records, and the parts that make records of it."""

    operator: Operator  # its behaviour is a reader of Spark, a collection or a sequence
    parts: OperatorParts = ()
    stamping: tuple[Operator, OperatorPart, str] | None = None  # its own event-time strategy
    columns: str | None = None  # of the job's own records
    read: bool = False  # whether records have the columns of the reader's frame
    records: Sequence[object] | None = None
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkEnd:
    """A sink, and what records become upstream of it."""

    kind: Literal["write", "print", "collect"]
    operator: Operator  # its behaviour is a writer of Spark where it writes
    parts: OperatorParts = ()
    columns: str | None = None  # what the parts give a writer; None: as the stream has them


@dataclass(frozen=True, slots=True, kw_only=True)
class Routing:
    """What chooses a record's subtask: a key, and perhaps a partitioner of the job's own."""

    key: Key | None = None
    custom: PythonFunction | None = None
    pairs: bool = False

    @property
    def computed(self) -> Key | None:
        """The key, where a function of the job computes it or needs it."""
        needs_python = self.key is not None and (self.key.is_hidden or self.custom is not None)
        return self.key if needs_python else None


class OperatorsOf(Protocol):
    """The operators of one front end."""

    script: bool

    def operator(self, node: StreamNode) -> Operator:
        """A node's operator, with its functions loaded."""

    def source(self, node: StreamNode) -> SourceEnd:
        """What a source is."""

    def parts(self, node: StreamNode, edges: Sequence[StreamEdge], *, columns: bool) -> OperatorParts:
        """What an operator is, () where it is SQL; `columns`: all its inputs have declared ones."""

    def sink(self, node: StreamNode, edges: Sequence[StreamEdge], *, columns: bool) -> SinkEnd | None:
        """What a sink is; None where it is a function that runs as any other operator."""

    def routing(self, edge: StreamEdge, node: StreamNode, columns: str | None) -> Routing:
        """What moves the records of an edge."""

    def stamped_at(self, node: StreamNode) -> tuple[Operator, OperatorPart, str] | None:
        """What gives records their event time upstream of a node that names its own time."""

    def outputs(self, node: StreamNode) -> tuple[str | None, bool]:
        """The columns that an operator declares, and whether it keeps those of its input."""


def not_in_chunks(ending: bool) -> str:
    """Where it is that SQL between operators cannot run; a batch has chunks for what its columns cannot carry."""
    if not ending:
        return "does not run in a stream"
    return "does not run in one job with broadcast state, or with windows of counts, of clocks, of triggers"
