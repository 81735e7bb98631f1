"""What every vertex of a running program is doing, from the engine's events and Spark's own stages.

Spark does not know vertices, only stages. While a run goes, stages are given to vertices in order: a stage that
appears belongs to the next vertices of the running action that have its number of tasks and are joined without an
exchange. That is for the eye; the figures afterwards come from the subtasks themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Literal

from spark_runner.figures.results import ActionStarted, Event, StreamBatch, VertexFigures, VertexFinished
from spark_runner.program.program import SparkProgram

__all__ = ["StageCounts", "VertexProgress", "VertexState", "VertexTracker", "stage_groups"]

VertexState = Literal["CREATED", "SCHEDULED", "RUNNING", "FINISHED", "FAILED", "CANCELED"]
_ENDED: frozenset[VertexState] = frozenset({"FINISHED", "FAILED", "CANCELED"})
_BEHIND_WRITERS = (".coordinator", ".compactor", ".committer")


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCounts:
    """The tasks of one Spark stage at one moment."""

    stage: int
    tasks: int
    active: int
    done: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VertexProgress:
    """One vertex at one moment."""

    vertex: int
    name: str
    parallelism: int
    state: VertexState = "CREATED"
    attempt: int = 1
    stage: int | None = None
    done: int = 0
    running: int = 0
    failed: int = 0
    records: int | None = None  # that its last operator gave, once known


Changed = Callable[[VertexProgress], None]


class VertexTracker:
    """Follows all vertices of one run; `changed` is called with a vertex whenever its state is another."""

    def __init__(self, program: SparkProgram, changed: Changed) -> None:
        self._changed = changed
        self._groups = stage_groups(program)
        self._upstream = _upstream(program)
        self._vertices = [
            VertexProgress(vertex=number, name=step.name, parallelism=step.parallelism)
            for number, step in enumerate(program.steps)
        ]
        self._stage_of: dict[int, tuple[int, ...]] = {}  # a stage's vertices; () for a stage that is none's

    def snapshot(self) -> tuple[VertexProgress, ...]:
        """All vertices now."""
        return tuple(self._vertices)

    def take(self, event: Event) -> None:
        """Follow the engine."""
        if isinstance(event, ActionStarted):
            for vertex in event.vertices:
                self._go(vertex, "SCHEDULED")
        elif isinstance(event, StreamBatch):
            for one in event.vertices:
                self._go(one.vertex, "RUNNING")
        elif isinstance(event, VertexFinished):
            figures = event.figures
            # What is downstream of a writer takes no records, and so tells nothing of what was done.
            counted = [one for one in figures.operators if not one.key.endswith(_BEHIND_WRITERS)]
            last = counted[-1] if counted else None
            # A sink gives nothing on: what it took is what it did.
            self._finish(figures.vertex, (last.records_out or last.records_in) if last else None)

    def watch(self, stages: Iterable[StageCounts]) -> None:
        """Follow Spark's stages."""
        for counts in sorted(stages, key=lambda one: one.stage):
            if counts.stage not in self._stage_of:
                self._stage_of[counts.stage] = self._next_group(counts)
            for vertex in self._stage_of[counts.stage]:
                self._count(vertex, counts)

    def learn(self, vertices: Iterable[VertexFigures]) -> None:
        """Take the stages that subtasks themselves reported, which are right where the guesses were not."""
        for figures in vertices:
            if figures.stages:
                self._vertices[figures.vertex] = replace(self._vertices[figures.vertex], stage=max(figures.stages))

    def settle(self) -> None:
        """If a finished vertex has no stage, use its upstream's: Spark leaves out 1-to-1 exchanges."""
        for progress in self.snapshot():
            if progress.state == "FINISHED" and progress.stage is None:
                stages = [self._vertices[one].stage for one in self._upstream[progress.vertex]]
                known = [stage for stage in stages if stage is not None]
                if known:
                    self._vertices[progress.vertex] = replace(progress, stage=max(known))

    def end(self, state: Literal["FAILED", "CANCELED"]) -> None:
        """End every vertex that has begun and not finished; the others were never started."""
        for progress in self.snapshot():
            if progress.state not in _ENDED:
                begun = progress.state != "CREATED"
                self._go(progress.vertex, state if begun else "CANCELED")

    def restart(self, attempt: int) -> None:
        """Begin again with every vertex: without checkpoints a batch starts from its sources."""
        self._stage_of.clear()
        for progress in self.snapshot():
            self._vertices[progress.vertex] = VertexProgress(
                vertex=progress.vertex, name=progress.name, parallelism=progress.parallelism, attempt=attempt
            )
            self._changed(self._vertices[progress.vertex])

    def _next_group(self, counts: StageCounts) -> tuple[int, ...]:
        taken = {vertex for vertices in self._stage_of.values() for vertex in vertices}
        for group in self._groups:
            begun = [vertex for vertex in group if self._vertices[vertex].state not in ("CREATED", "CANCELED")]
            if begun and not taken & set(group) and self._vertices[group[0]].parallelism == counts.tasks:
                return tuple(begun)
        return ()

    def _count(self, vertex: int, counts: StageCounts) -> None:
        if self._vertices[vertex].state in _ENDED:
            self._vertices[vertex] = replace(self._vertices[vertex], stage=counts.stage)
            return
        self._vertices[vertex] = replace(
            self._vertices[vertex],
            stage=counts.stage,
            done=counts.done,
            running=counts.active,
            failed=counts.failed,
        )
        if counts.active or counts.done:
            self._go(vertex, "RUNNING")

    def _finish(self, vertex: int, records: int | None) -> None:
        self._go(vertex, "SCHEDULED")
        self._go(vertex, "RUNNING")  # a quick vertex is over before anybody looked
        now = self._vertices[vertex]
        self._vertices[vertex] = replace(now, done=now.parallelism, running=0, records=records)
        self._go(vertex, "FINISHED")

    def _go(self, vertex: int, state: VertexState) -> None:
        order: tuple[VertexState, ...] = ("CREATED", "SCHEDULED", "RUNNING", "FINISHED", "FAILED", "CANCELED")
        now = self._vertices[vertex]
        if now.state in _ENDED or order.index(state) <= order.index(now.state):
            return
        self._vertices[vertex] = replace(now, state=state)
        self._changed(self._vertices[vertex])


def _upstream(program: SparkProgram) -> list[set[int]]:
    """The steps that each step reads from, itself not counted."""
    return [
        {program.passes[inlet.source].step for one in step.passes for inlet in program.passes[one].inlets} - {number}
        for number, step in enumerate(program.steps)
    ]


def stage_groups(program: SparkProgram) -> tuple[tuple[int, ...], ...]:
    """The steps that run in one Spark stage, joined by edges that stay in their partition; in topological order."""
    group_of: dict[int, int] = {}
    groups: list[list[int]] = []
    for number, step in enumerate(program.steps):
        joined = [
            program.passes[inlet.source].step
            for one in step.passes
            for inlet in program.passes[one].inlets
            if inlet.exchange is not None and inlet.exchange.strategy == "FORWARD"
        ]
        if joined:
            group_of[number] = group_of[joined[0]]
            groups[group_of[number]].append(number)
        else:
            group_of[number] = len(groups)
            groups.append([number])
    return tuple(tuple(group) for group in groups)
