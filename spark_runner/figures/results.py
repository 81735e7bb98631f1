"""The events of a run while it goes on, and its figures when it is over, as plain data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from planner.job import Operator
from spark_runner.program.stage_shapes import Share

MANY_STAGES = -1  # a subtask of a stream: every batch has stages of its own


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorFigures:
    """How many records one operator took and gave; None where a vertex could not be counted."""

    node: int
    key: str
    name: str
    records_in: int | None
    records_out: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubtaskFigures:
    """Where and how long one subtask ran, in the attempt whose result counted."""

    subtask: int
    stage: int
    attempt: int
    host: str
    started: float  # seconds since the epoch
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VertexFigures:
    """One job vertex after it ran. `subtasks` is empty where everything ran natively inside the JVM."""

    vertex: int
    name: str
    parallelism: int
    operators: tuple[OperatorFigures, ...]
    subtasks: tuple[SubtaskFigures, ...]
    shares: tuple[Share, ...] = ()  # where Spark's own stages tell

    @property
    def stages(self) -> tuple[int, ...]:
        """The Spark stages that ran this vertex: as their shape tells, else as its own subtasks reported them."""
        return tuple(sorted({one.stage for one in self.shares or self.subtasks} - {MANY_STAGES}))


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkFigures:
    """What one sink received; `path` is where a writer left it."""

    operator: str
    format: str
    path: str | None
    records: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """A finished run: vertices in job-graph order, sinks in the order they ran."""

    vertices: tuple[VertexFigures, ...]
    sinks: tuple[SinkFigures, ...]


# --- events ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionStarted:
    """A Spark action begins: it feeds one sink and runs those vertices that no earlier action ran."""

    sink: str
    vertices: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionFinished:
    """A Spark action ended well."""

    sink: str
    vertices: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VertexFinished:
    """A vertex has run completely; its figures are final."""

    figures: VertexFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class SinkWritten:
    """A sink's data is in its place."""

    figures: SinkFigures


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingAside:
    """A sink writes to this temporary place first; whoever kills the run leaves it behind."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedRecord:
    """One record of a `print` sink, as Flink would print it: `subtask` counts from 1, None where there is only one."""

    operator: str
    subtask: int | None
    text: str
    identifier: str | None = None  # of print(identifier)

    @classmethod
    def of(cls, operator: Operator, subtask: int | None, text: str) -> PrintedRecord:
        """A record of this sink."""
        return cls(operator=operator.key, subtask=subtask, text=text, identifier=operator.identifier)

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.identifier, self.subtask) if part is not None)
        return f"{place}> {self.text}" if place else self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectedRecord:
    """One record that the script itself asked for with execute_and_collect."""

    record: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class VertexBatch:
    """One vertex of a stream in one batch. Times are milliseconds since the epoch; state is what there is now."""

    vertex: int
    name: str
    records_in: int
    records_out: int
    late: int
    watermark: int | None
    keys: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamBatch:
    """One batch of a stream, written to all sinks."""

    batch: int
    ended: float  # seconds since the epoch
    seconds: float
    vertices: tuple[VertexBatch, ...]
    backlog: tuple[tuple[str, str], ...] = ()  # by source, in its own words

    @property
    def records(self) -> int:
        """How many records came in."""
        return sum(one.records_in for one in self.vertices if one.name.startswith("Source: "))

    @property
    def watermark(self) -> int | None:
        """Where event time stands in the slowest vertex that looks at it."""
        return min((one.watermark for one in self.vertices if one.watermark is not None), default=None)


Event = (
    StreamBatch
    | ActionStarted
    | ActionFinished
    | VertexFinished
    | SinkWritten
    | WritingAside
    | PrintedRecord
    | CollectedRecord
)
Events = Callable[[Event], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFigures:
    """One successful task of a Spark stage, as Spark itself saw it."""

    index: int
    attempt: int
    host: str
    started: float
    seconds: float
    shuffle_read: int = 0  # bytes
    shuffle_write: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StageFigures:
    """One Spark stage after it ran."""

    stage: int
    attempt: int
    shuffle_read: int  # bytes
    shuffle_write: int
    tasks: tuple[TaskFigures, ...]
