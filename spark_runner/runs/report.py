"""The report of a run: where and how long each vertex ran, what it read and gave, and how even the work was."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from spark_runner.figures.results import (
    OperatorFigures,
    RunResult,
    SinkFigures,
    StageFigures,
    StreamBatch,
    SubtaskFigures,
    TaskFigures,
    VertexFigures,
)
from spark_runner.figures.tracking import VertexProgress
from spark_runner.program.program import SparkProgram
from spark_runner.program.stage_shapes import Share
from spark_runner.runs.store import RunRecord

__all__ = ["RunReport", "StageFigures", "TaskFigures", "VertexReport", "build_report"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VertexReport:
    """One vertex of a run. None is a figure that the master does not give."""

    vertex: int
    id: str
    name: str
    parallelism: int
    state: str
    attempt: int  # of the whole run: more than one after a restart
    stages: tuple[int, ...]
    attempts: int  # the most any of its subtasks took
    operators: tuple[OperatorFigures, ...]
    subtasks: tuple[SubtaskFigures, ...]
    shuffle_read: int | None
    shuffle_write: int | None

    @property
    def seconds(self) -> float | None:
        """From the first subtask's start to the last one's end."""
        if not self.subtasks:
            return None
        return max(s.started + s.seconds for s in self.subtasks) - min(s.started for s in self.subtasks)

    @property
    def skew(self) -> float | None:
        """The slowest subtask's time as a multiple of the median's."""
        times = [s.seconds for s in self.subtasks]
        median = statistics.median(times) if times else 0
        return max(times) / median if median else None

    @property
    def hosts(self) -> tuple[str, ...]:
        """The machines its subtasks ran on."""
        return tuple(sorted({s.host for s in self.subtasks if s.host}))

    def to_dict(self) -> dict[str, Any]:
        """The vertex as JSON-ready data."""
        return {**asdict(self), "seconds": self.seconds, "skew": self.skew, "hosts": self.hosts}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """One run, whatever its end."""

    id: str
    name: str | None
    state: str
    message: str | None
    master: str
    mode: str
    application: str | None
    attempt: int
    submitted: float
    started: float | None
    ended: float | None
    vertices: tuple[VertexReport, ...]
    sinks: tuple[SinkFigures, ...]
    batches: tuple[StreamBatch, ...] = ()  # of a stream, the latest last

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        seconds = self.ended - (self.started or self.submitted) if self.ended else None
        head = {key: value for key, value in _shallow(self).items() if key not in ("vertices", "sinks", "batches")}
        return {
            **head,
            "seconds": seconds,
            "vertices": [vertex.to_dict() for vertex in self.vertices],
            "sinks": [asdict(sink) for sink in self.sinks],
            **({"batches": [asdict(batch) for batch in self.batches]} if self.mode == "streaming" else {}),
        }


def build_report(
    record: RunRecord,
    program: SparkProgram,
    progress: tuple[VertexProgress, ...],
    result: RunResult | None,
    stages: Mapping[int, StageFigures],
    *,
    application: str | None = None,
    batches: tuple[StreamBatch, ...] = (),
) -> RunReport:
    """Join what the engine counted, what Spark measured and what was seen on the way."""
    figures = {one.vertex: one for one in result.vertices} if result else {}
    return RunReport(
        id=record.id,
        name=record.name,
        state=record.state,
        message=record.message,
        master=record.request.master,
        mode=program.mode,
        application=application,
        attempt=record.attempt,
        submitted=record.submitted,
        started=record.started,
        ended=record.ended,
        vertices=tuple(_vertex(program, one, figures.get(one.vertex), stages) for one in progress),
        sinks=result.sinks if result else (),
        batches=batches,
    )


def _vertex(
    program: SparkProgram, progress: VertexProgress, figures: VertexFigures | None, known: Mapping[int, StageFigures]
) -> VertexReport:
    numbers = figures.stages if figures and figures.stages else (progress.stage,) if progress.stage is not None else ()
    stages = [known[number] for number in numbers if number in known]
    shares = _shares(figures, stages, progress.parallelism)
    subtasks = _in_order(figures.subtasks) if figures and figures.subtasks else _tasks(shares, known)
    return VertexReport(
        vertex=progress.vertex,
        id=program.steps[progress.vertex].id,
        name=progress.name,
        parallelism=progress.parallelism,
        state=progress.state,
        attempt=progress.attempt,
        stages=tuple(numbers),
        attempts=max((s.attempt + 1 for s in subtasks), default=1),
        operators=figures.operators if figures else (),
        subtasks=subtasks,
        shuffle_read=sum(t.shuffle_read for s in shares if s.reads for t in _own(s, known)) if shares else None,
        shuffle_write=sum(t.shuffle_write for s in shares if s.writes for t in _own(s, known)) if shares else None,
    )


def _in_order(figures: tuple[SubtaskFigures, ...]) -> tuple[SubtaskFigures, ...]:
    return tuple(sorted(figures, key=lambda one: (one.subtask, one.stage)))


def _shares(figures: VertexFigures | None, stages: list[StageFigures], parallelism: int) -> tuple[Share, ...]:
    """The tasks that are a vertex's own; where no shape told, a stage with as many tasks as it has subtasks is."""
    told = {share.stage: share for share in figures.shares} if figures else {}
    return tuple(
        told.get(stage.stage) or Share(stage=stage.stage, first=0, count=parallelism, reads=True, writes=True)
        for stage in stages
        if stage.stage in told or len(stage.tasks) == parallelism
    )


def _own(share: Share, known: Mapping[int, StageFigures]) -> Iterator[TaskFigures]:
    tasks = known[share.stage].tasks if share.stage in known else ()
    return (task for task in tasks if share.first <= task.index < share.first + share.count)


def _tasks(shares: tuple[Share, ...], known: Mapping[int, StageFigures]) -> tuple[SubtaskFigures, ...]:
    """The subtasks of a vertex that ran inside the JVM: its own tasks of its stages."""
    return tuple(
        SubtaskFigures(
            subtask=task.index - share.first,
            stage=share.stage,
            attempt=task.attempt,
            host=task.host,
            started=task.started,
            seconds=task.seconds,
        )
        for share in shares
        for task in _own(share, known)
    )


def _shallow(report: RunReport) -> dict[str, Any]:
    return {name: getattr(report, name) for name in report.__slots__}
