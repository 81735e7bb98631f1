"""The Spark program: what will run for every job vertex, as plain data.

A job vertex becomes a `Step`. A step is one or more `Pass`es over its partitions, each either one fused Python function
or a few native DataFrame expressions; a chain of one kind of operators is one pass. Streams run from a pass's
`Outlet`s to other passes' `Inlet`s, through an `Exchange` where they leave the vertex, or end in a `Sink`.

    source (SQL) -> map (Python) -> filter (Python)  ==HASH==>  sum (SQL) -> print
    step 0: pass 0 native [source], pass 1 python [map, filter]; step 1: pass 2 native [sum]; sink of pass 2

Nothing here imports pyspark: `--dry-run` prints a program on a machine without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from planner.job import Operator, Partitioner, PythonFunction
from spark_runner.executor.inlined import Inlined

if TYPE_CHECKING:
    from spark_runner.program.chunks import ChunkPlan

Mode = Literal["batch", "streaming"]
Engine = Literal["python", "native"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One operator inside a pass. `parent` is a position in `Pass.operations`; None reads the pass's inlets."""

    node: int  # stream node id
    name: str
    operator: Operator
    parent: int | None
    tag: str | None = None  # reads this side output of the parent, not its main output
    role: str = ""  # what a Python pass does with it: a name in the role table
    keyed: bool = False
    output: str | None = None  # the columns it declares; None: as its input's
    sides: tuple[tuple[str, str], ...] = ()  # the columns of its side outputs that are declared, by tag
    inlined: Inlined | None = None  # its function as the one expression it is
    function: Any = None  # what workers call: an object of the user's
    options: Mapping[str, Any] = field(default_factory=dict)  # of the worker's operator
    id: str = ""  # what its state is found by
    part: tuple[str, str] | None = None  # its own key and name, where it is a part of a merged operator
    idle: int | None = None  # milliseconds after which event time does not wait for it

    @property
    def told_as(self) -> tuple[str, str, str]:
        """How messages name it: key, name, place."""
        key, name = self.part or (self.operator.key, self.name)
        return key, name, str(self.operator.location)


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """What a keyed stream is keyed by: columns, or a Python selector whose result travels in a hidden column."""

    columns: tuple[str, ...] = ()
    selector: PythonFunction | None = None
    type: str | None = None  # DDL of the selector's result, where it is declared
    as_bytes: bool = False  # columns that travel as the bytes of their values: another input's key is no such column
    paired: bool = False  # the first of a pair, which an operator upstream made of key and record

    @property
    def is_hidden(self) -> bool:
        """Whether it travels in a column of its own."""
        return self.selector is not None or self.as_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlet:
    """A stream that leaves a pass. `operation` None is the pass's own input (a pass that only computes keys)."""

    operation: int | None
    tag: str | None = None
    key: Key | None = None  # a selector to compute in this pass
    custom: PythonFunction | None = None  # a partitioner to call in this pass, with the key
    # whose key or partitioner that is: operator, name, place
    reader: tuple[str, str, str] | None = field(default=None, compare=False)
    consumers: int = 0  # how many partitions `custom` chooses from
    timestamps: bool = False  # records carry their event time in a hidden column
    pickled: bool = False  # records have no declared columns
    columns: str | None = None  # the records' columns where an operator of the job declares them
    declared_by: int | None = None  # the operation of this pass that declares them
    read: tuple[str, ...] | None = None  # the columns of these that leave, where not all are read downstream
    readers: int = 1  # inlets and sinks that read it


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """How records move between two steps' subtasks."""

    strategy: Partitioner
    producers: int
    consumers: int
    ranges: tuple[tuple[int, int, int], ...] = ()  # RESCALE: (consumer subtask, first partition, last partition)
    job_edge: int | None = None  # position in JobGraph.edges; None inside a vertex


@dataclass(frozen=True, slots=True, kw_only=True)
class Inlet:
    """A stream that enters a pass. `exchange` None stays in its partition, inside the vertex."""

    source: int  # position in SparkProgram.passes
    outlet: int  # position in that pass's outlets
    position: int = 0  # which input of the operator: 0 or 1
    key: Key | None = None
    time: str | None = None  # the column that is the event time from here on
    fields: tuple[str, ...] = ()  # the columns of its records, where not all of them are read
    read: tuple[str, ...] | None = None  # those that the pass reads; None: all
    exchange: Exchange | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One pass over the partitions of a step: operators of one engine, with nothing converted between them."""

    step: int
    engine: Engine
    operations: tuple[Operation, ...]
    inlets: tuple[Inlet, ...]
    outlets: tuple[Outlet, ...]
    grouped: bool = False  # records arrive key by key, in event-time order
    parallelism: int = 1

    @property
    def shared(self) -> bool:
        """Whether more than one reader needs the result, so that it is kept and not computed again."""
        return sum(outlet.readers for outlet in self.outlets) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sink:
    """Where a stream ends: a Spark writer, the driver's standard output, or a Python function that returns nothing."""

    source: int  # position in SparkProgram.passes
    outlet: int
    kind: Literal["write", "print", "drain"]
    node: int
    name: str
    operator: Operator
    parallelism: int
    step: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Committer:
    """What follows the writer of a v2 sink: it takes no records, since Spark's writers commit for themselves."""

    node: int
    name: str
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One job vertex as reports show it: its position in the job graph, and those of its passes in the program."""

    vertex: int
    id: str
    name: str
    parallelism: int
    passes: tuple[int, ...]
    nodes: tuple[int, ...]  # stream node ids, head first
    committers: tuple[Committer, ...] = ()


@dataclass(frozen=True, kw_only=True)
class SparkProgram:
    """A whole job as Spark will run it. Steps and passes are in topological order."""

    name: str
    mode: Mode
    file: str  # the job's file; relative paths start in its folder
    steps: tuple[Step, ...]
    passes: tuple[Pass, ...] = ()
    sinks: tuple[Sink, ...] = ()
    chunks: ChunkPlan | None = None  # where records travel in chunks: such a program has no passes
