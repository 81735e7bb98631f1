"""The frozen job definition that both front ends produce and everything else reads.

A job is a tuple of transformations in Flink's creation order. `Operator`s become stream nodes; `Union`, `Partition` and
`SideOutput` are virtual: they take a transformation id and end as properties of edges.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from planner.flink.defaults import EXPONENTIAL_DELAY_MULTIPLIER
from planner.kinds import NEVER_KEYED
from planner.kinds import OperatorKind as OperatorKind
from planner.records import record

if TYPE_CHECKING:
    from planner.graphs.stream_graph import StreamGraph

Partitioner = Literal["FORWARD", "REBALANCE", "RESCALE", "SHUFFLE", "BROADCAST", "GLOBAL", "HASH", "CUSTOM"]
# What the job computes depends on where these send a record; the others only spread the work.
MEANINGFUL: frozenset[str] = frozenset({"HASH", "BROADCAST", "GLOBAL", "CUSTOM"})
RuntimeMode = Literal["streaming", "batch", "automatic"]
Exchange = Literal["pipelined", "batch"]
# How PyFlink runs an operator in a Python process; broadcast-state operators are never merged with others.
PythonForm = Literal["plain", "keyed", "broadcast"]
# The call that PyFlink puts an operator of its own into the job for.
Helper = Literal[
    "key_by", "window_all", "partition_custom", "values", "timestamps", "watermarks", "print", "side_output",
    "topic_selector", "row_data", "table_rows", "table_step", "split_reader", "collect",
]  # fmt: skip


@record(kw_only=False)
class Location:
    """A place in the user's file; the column is known in YAML only."""

    file: str
    line: int
    column: int | None = None

    def __str__(self) -> str:
        if self.file.endswith(".jar"):  # it has no lines, and job.jar:1 is its first job
            return self.file
        return f"{self.file}:{self.line}" + (f":{self.column}" if self.column else "")


# --- what an operator does when it runs: optional for planning, required for running ---------------------------------


@record
class PythonFunction:
    """A user function: the object itself (Python jobs) or where to import it from (YAML jobs)."""

    target: Any = None
    reference: str | None = None


@record
class Where:
    """A filter as a Spark SQL condition."""

    condition: str


@record
class Select:
    """A map as named Spark SQL expressions, in output order."""

    columns: tuple[tuple[str, str], ...]


@record
class Explode:
    """A flat_map as one Spark SQL array expression whose elements become the column `column`."""

    expression: str
    column: str


@record
class Aggregate:
    """A keyed sum, min or max of one field, by name (YAML) or by position or name (Python)."""

    field: str | int
    whole: bool = False  # min_by, max_by: the record that has the field, not the field alone


@record
class Join:
    """A keyed co_process that is an equi-join; `select` as in `Select`, None keeps both sides' columns."""

    how: Literal["inner", "left", "right", "full"]
    select: tuple[tuple[str, str], ...] | None = None


@record
class Window:
    """A window and what is computed in it. All durations are milliseconds; sizes of count windows are records."""

    assigner: Literal["tumbling", "sliding", "session", "count", "global"]
    size: int
    slide: int | None = None
    offset: int = 0
    time: str | None = None
    watermark: int = 0
    function: PythonFunction | None = None
    form: Literal["reduce", "aggregate", "process"] = "reduce"
    lateness: int = 0  # for how long after its end a window still takes records
    late_tag: str | None = None  # the side output of records that come later still
    by_clock: bool = False  # goes by processing time
    gap: PythonFunction | None = None  # session: reads the gap from each record
    trigger: Any = None  # None: the assigner's own

    @property
    def is_plain(self) -> bool:
        """Whether it is an event-time window that fires at its end: what a batch can run too."""
        timed = self.assigner in ("tumbling", "sliding", "session") and not self.by_clock
        return timed and self.gap is None and self.trigger is None


@record
class Watermarks:
    """Event-time stamps: where they come from (a column or a function) and how late records may be, in milliseconds."""

    time: str | None = None
    assigner: PythonFunction | None = None
    out_of_orderness: int = 0
    idleness: int | None = None  # milliseconds after which a producer without records holds nobody back


@record
class Collection:
    """A source of the records written in the job."""

    records: tuple[Any, ...]


@record
class Sequence:
    """A source of whole numbers, both ends included."""

    start: int
    end: int


@record
class Reader:
    """A source that is any Spark reader. Paths are as written, relative to the job's file."""

    format: str
    path: str | None = None
    options: tuple[tuple[str, str], ...] = ()


@record
class FileNames:
    """How PyFlink's FileSink names its files and the folders they are in."""

    bucket: str | None = None  # a pattern of Java's DateTimeFormatter; None: all files lie in the sink's own folder
    zone: str | None = None  # None: the machine's
    prefix: str = "part"
    suffix: str = ""


@record
class Writer:
    """A sink that is any Spark writer."""

    format: str
    path: str | None = None
    mode: Literal["error", "overwrite", "append"] = "error"
    options: tuple[tuple[str, str], ...] = ()
    names: FileNames | None = None  # None: as Spark names them


Behaviour = (
    PythonFunction
    | Where
    | Select
    | Explode
    | Aggregate
    | Join
    | Window
    | Watermarks
    | Collection
    | Sequence
    | Reader
    | Writer
)


@record
class PythonWindow:
    """A PyFlink window: the script's own objects, which are asked as PyFlink asks them."""

    assigner: Any
    trigger: Any
    form: Literal["reduce", "aggregate", "apply", "process"]
    function: Any  # of the form
    window_function: Any = None  # after reduce and aggregate
    all_records: bool = False  # window_all: functions get no key
    lateness: int = 0
    late_tag: str | None = None
    accumulator_type: Any = None  # aggregate: what its state keeps; None: any Python object, pickled


@record
class PythonRun:
    """What a run of a PyFlink operator needs and its plan does not show."""

    record_type: Any = None  # of the records it gives
    read_type: Any = None  # print: of the records that become text
    window: PythonWindow | None = None
    retries: Any = None  # async_map: the strategy
    ordered: bool = True  # async_map
    connector: Any = None  # the source or the sink as the script built it
    fields: tuple[int, ...] = ()  # project
    strategy: Any = None  # watermarks: how far behind they stay, and when a source counts as idle
    states: tuple[Any, ...] = ()  # broadcast state: its descriptors


# --- transformations -------------------------------------------------------------------------------------------------


@record
class Operator:
    """A transformation that becomes a stream node (a v2 sink becomes one or two)."""

    id: int
    key: str  # how messages and `--set` name it: the id in YAML; in Python the uid, else kind and count ("map-2")
    kind: OperatorKind
    location: Location
    inputs: tuple[int, ...] = ()  # transformation ids, one per input position
    name: str | None = None  # None: Flink's default name
    uid: str | None = None
    uid_hash: str | None = None
    description: str | None = None
    parallelism: int | None = None  # None: the job's
    max_parallelism: int | None = None
    slot_sharing_group: str | None = None
    co_location_group: str | None = None
    buffer_timeout: int | None = None
    chaining: Literal["start_new", "disable"] | None = None
    legacy: bool = False  # sources: a SourceFunction; sinks: see api
    parallel: bool = True  # legacy sources: False is a SourceFunction that cannot run in parallel
    bounded: bool = True  # sources
    api: Literal["v1", "v2"] = "v1"  # sinks: addSink or sinkTo
    committer: bool = False
    chain_sources: bool = False  # multi_input: the strategy HEAD_WITH_SOURCES
    exported: bool = False  # of a stream graph that a Java program printed: settings are written in Java
    capacity: int | None = None  # async_map: how many records may wait for their answers at once; None: 100
    timeout: int | None = None  # async_map: milliseconds that an answer may take; None: any time
    identifier: str | None = None  # print: what stands before each record
    behaviour: Behaviour | None = None
    watermarks: Watermarks | None = None  # sources: the strategy given with the source, no operator of its own
    output: str | None = None  # the result's columns as Spark DDL; None: as the input's, or (Python maps) pickled
    ignores: tuple[tuple[str, str], ...] = ()  # lint codes with the reason each is ignored
    # PyFlink only:
    parallelism_inherited: bool = False  # `parallelism` is the environment's at the call, not the operator's own
    python: PythonForm | None = None  # None: Java code
    helper: Helper | None = None  # not written by the user: PyFlink's own, for this call
    merged: tuple[Operator, ...] = ()  # the Python operators that became this one, in order
    extra_ids: int = 0  # sinks: ids that the connector takes for itself
    compaction: Literal["enabled", "disabled"] | None = None  # file sinks: operators between writer and committer
    co_locates: str | None = None  # sinks: the group in which the connector keeps writer and committer together
    slot_resources: str | None = None  # of a slot sharing group that was given with its resources
    run: PythonRun | None = field(default=None, compare=False)
    remarks: tuple[str, ...] = ()  # PyFlink's surprises at this call, for lint: "lost-assigner:with_idleness"

    @property
    def from_sql(self) -> bool:
        """Whether Flink's SQL planner made it, for a SQL script or the Table API: it takes no settings of its own."""
        described = _BY_SQL_PLANNER.match(self.description or "") or _NUMBERED.search(self.name or "")
        return self.location.file.endswith(".sql") or (self.exported and bool(described))


_BY_SQL_PLANNER = re.compile(r"\[\d+\]:")  # how it begins a description
_NUMBERED = re.compile(r"\[\d+\](: \w+)?$")  # how it ends a name; a v2 sink's operators have no other description


@record
class Union:
    """Several streams read as one; with `cached`, one stream that PyFlink keeps for other jobs."""

    id: int
    inputs: tuple[int, ...]
    location: Location
    cached: bool = False


@record
class Partition:
    """How records reach the next operator's subtasks.

    HASH carries the key (column names, or a selector function), CUSTOM its partitioner function (key, count) -> index.
    """

    id: int
    input: int
    partitioner: Partitioner
    location: Location
    exchange: Exchange | None = None
    key_columns: tuple[str, ...] = ()
    key_selector: PythonFunction | None = None
    key_type: str | None = None  # DDL of the key where it is declared
    custom: PythonFunction | None = None
    aligns: bool = False  # put in by PyFlink's alignment of its helper operators


@record
class SideOutput:
    """The records of one operator that it tagged."""

    id: int
    input: int
    tag: str
    location: Location
    output: str | None = None


Transformation = Operator | Union | Partition | SideOutput


@record
class RestartStrategy:
    """When a failed job starts again. Durations are milliseconds."""

    type: Literal["none", "fixed-delay", "exponential-delay", "failure-rate"] = "none"
    attempts: int = 0
    delay: int = 0
    max_delay: int = 0
    failure_interval: int = 0
    multiplier: float = EXPONENTIAL_DELAY_MULTIPLIER  # exponential-delay: the growth of the wait


@record
class PythonLayer:
    """What PyFlink does to a job between the script and Flink: the input of alignment and merging."""

    registered: tuple[int, ...]  # transformation ids in the order of creation
    remembered: Mapping[int, int]  # virtual transformations whose input had another parallelism when they were made
    next_id: int
    merge: bool = True  # python.operator-chaining.enabled
    collect: int | None = None  # execute_and_collect: the stream whose records are wanted


@record(slots=False)
class JobDefinition:
    """One job, as its author wrote it, before any stage."""

    name: str | None
    transformations: tuple[Transformation, ...]
    location: Location
    parallelism: int = 1
    max_parallelism: int | None = None
    runtime_mode: RuntimeMode = "streaming"
    chaining: bool = True
    chain_different_max_parallelism: bool = True
    buffer_timeout: int | None = None
    restart_strategy: RestartStrategy | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # further Flink options, as given to configure()
    python: PythonLayer | None = None  # a PyFlink job before its Python operators are aligned and merged
    next_id: int | None = None  # the first id that the stream graph may take; None: after the highest
    parallelism_origin: str | None = None  # who set `parallelism`, where more than the job may have
    recorded: tuple[str, ...] = ()  # calls that only matter when the job runs
    absent_modules: tuple[str, ...] = ()  # what its file imports and is not installed here: enough for a plan only
    calls: tuple[tuple[str, Location], ...] = ()  # of the API, those that only some versions of Flink have
    compiled: StreamGraph | None = None  # the stream graph, where Flink itself exported it
    flink: str | None = None  # the release of Flink that compiled it, or the version whose PyFlink a script met
    repeat: int = 1  # which of the jobs of its name that its file executes
    notes: tuple[str, ...] = ()  # what a reader of the plan should know about how it came to be

    @cached_property
    def operators(self) -> tuple[Operator, ...]:
        """The transformations that become stream nodes."""
        return tuple(t for t in self.transformations if isinstance(t, Operator))

    @cached_property
    def by_id(self) -> Mapping[int, Transformation]:
        """The transformations by their id."""
        return {t.id: t for t in self.transformations}

    def key_partitions(self, operator: Operator) -> tuple[Partition, ...]:
        """The `key_by` of each input; empty where the operator is not keyed, because not all its inputs are."""
        if operator.kind in NEVER_KEYED:
            return ()
        inputs = operator.inputs[:1] if operator.python == "broadcast" else operator.inputs
        keyed = [t for number in inputs if isinstance(t := self.by_id[number], Partition)]
        keyed = [partition for partition in keyed if partition.partitioner == "HASH"]
        return tuple(keyed) if len(keyed) == len(inputs) else ()

    def is_keyed(self, operator: Operator) -> bool:
        """Whether Flink gives the operator a key: all its inputs are keyed streams."""
        return bool(self.key_partitions(operator))
