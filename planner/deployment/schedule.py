"""The order in which executions go from CREATED over SCHEDULED and DEPLOYING to RUNNING.

Time is counted in steps, one a change of state: the order is planned, how long a step takes is not known.

- eager: everything is scheduled at once, and deployed when every slot is there
- lazy: the sources first; a vertex follows when its pipelined inputs run and its blocking ones are finished
- regions: a pipelined region at a time, when the blocking results it reads are finished (Flink's default today)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

from planner.deployment.layout import Layout, Range, fold
from planner.deployment.starting import StartFate, Starting
from planner.deployment.steps import (
    FIRST_STEP,
    STEPS_TO_FINISHED,
    STEPS_TO_RUNNING,
    Steps,
    eager_steps,
    lazy_steps,
    region_starts,
    vertex_region_steps,
    vertex_regions,
)
from planner.graphs.job_graph import JobGraph
from planner.records import record

__all__ = ["STATES", "Execution", "ExecutionState", "Schedule", "Strategy", "Wait", "schedule_executions"]

Strategy = Literal["eager", "lazy", "regions"]
ExecutionState = Literal["CREATED", "SCHEDULED", "DEPLOYING", "RUNNING", "FINISHED"]
STATES: tuple[ExecutionState, ...] = ("CREATED", "SCHEDULED", "DEPLOYING", "RUNNING", "FINISHED")


@record
class Wait:
    """A vertex that must have reached a state first."""

    vertex: int
    state: Literal["RUNNING", "FINISHED"]
    through: int  # the vertex that reads it: another one of the region where that is not the waiting one itself
    every: bool  # all its subtasks, or only those that a waiting subtask reads

    def to_dict(self) -> dict[str, Any]:
        """The wait as JSON-ready data."""
        return {"vertex": self.vertex, "state": self.state, "through": self.through, "every_subtask": self.every}


@record
class Execution:
    """Subtasks of one vertex that change state at the same steps."""

    vertex: int
    subtasks: tuple[Range, ...] | None  # None: batch mode has not decided how many there are
    scheduled: int  # the step
    finished: int | None  # the first step at which they may be; None: they run as long as the job does
    waits: bool = False  # for slots that are not there: they stay SCHEDULED
    never: bool = False  # what they read is never finished: they stay CREATED
    waits_for: tuple[Wait, ...]

    @property
    def running(self) -> int | None:
        """The step at which they run; None where they never do."""
        return None if self.waits or self.never else self.scheduled + STEPS_TO_RUNNING

    def state(self, step: int) -> ExecutionState:
        """The state at a step."""
        if step < self.scheduled or self.never:
            return "CREATED"
        if self.waits:
            return "SCHEDULED"
        if self.finished is not None and step >= self.finished:
            return "FINISHED"
        return STATES[min(step - self.scheduled, STEPS_TO_RUNNING) + 1]

    def to_dict(self) -> dict[str, Any]:
        """The executions as JSON-ready data."""
        return {
            "vertex": self.vertex,
            "subtasks": None if self.subtasks is None else [list(span) for span in self.subtasks],
            "scheduled": None if self.never else self.scheduled,
            "deploying": None if self.running is None else self.scheduled + 1,
            "running": self.running,
            "finished": self.finished,
            "waits_for_slots": self.waits,
            "waits_for": [wait.to_dict() for wait in self.waits_for],
        }


@record
class Schedule:
    """All executions in the order in which they are scheduled: by step, then in the order of the vertices."""

    strategy: Strategy
    executions: tuple[Execution, ...]

    @property
    def last_step(self) -> int:
        """The step after which nothing changes any more."""
        return max((each.finished or each.running or each.scheduled for each in self.executions), default=0)

    def to_dict(self) -> dict[str, Any]:
        """The schedule as JSON-ready data."""
        return {
            "strategy": self.strategy,
            "steps": self.last_step,
            "executions": [execution.to_dict() for execution in self.executions],
        }


def schedule_executions(
    graph: JobGraph, layout: Layout | None, strategy: Strategy, starting: Starting | None = None
) -> Schedule:
    """Schedule a job; without a layout by vertex, since the subtasks are not known.

    `starting` says which regions start where there are too few slots; None: all of them.
    """
    by_region = strategy == "regions"
    parts = _by_region(layout) if layout is not None and by_region else _by_vertex(graph, layout, strategy)
    waits = _region_waits(graph) if by_region else _vertex_waits(graph)
    found = [
        Execution(
            vertex=vertex,
            subtasks=some,
            scheduled=scheduled,
            finished=finished if graph.dynamic and fate == "starts" else None,
            waits=fate == "waits",
            never=fate == "never",
            waits_for=() if scheduled == FIRST_STEP else waits[vertex],
        )
        for vertex, subtasks, (scheduled, finished) in parts
        for fate, some in _by_fate(layout, starting, vertex, subtasks)
    ]
    return Schedule(strategy=strategy, executions=tuple(sorted(found, key=lambda e: (e.scheduled, e.vertex))))


_Part = tuple[int, tuple[Range, ...] | None, Steps]  # vertex, subtasks, steps
_VERTEX_STEPS: dict[Strategy, Callable[[JobGraph], list[Steps]]] = {
    "eager": eager_steps,
    "lazy": lazy_steps,
    "regions": vertex_region_steps,
}


def _by_fate(
    layout: Layout | None, starting: Starting | None, vertex: int, subtasks: tuple[Range, ...] | None
) -> Iterator[tuple[StartFate, tuple[Range, ...] | None]]:
    """Subtasks of a vertex apart by what becomes of their regions."""
    if layout is None or starting is None or subtasks is None:
        yield "starts", subtasks
        return
    found: dict[StartFate, list[int]] = {}
    for low, high in subtasks:
        for subtask in range(low, high + 1):
            found.setdefault(starting.fate(layout.region_of[layout.first[vertex] + subtask]), []).append(subtask)
    for fate, members in found.items():
        yield fate, fold(members)


def _by_vertex(graph: JobGraph, layout: Layout | None, strategy: Strategy) -> Iterator[_Part]:
    for vertex, steps in enumerate(_VERTEX_STEPS[strategy](graph)):
        yield vertex, None if layout is None else ((0, len(layout.numbers(vertex)) - 1),), steps


def _by_region(layout: Layout) -> Iterator[_Part]:
    starts = region_starts(layout)
    for vertex in range(len(layout.job_graph.vertices)):
        at: dict[int, list[int]] = {}
        for subtask, number in enumerate(layout.numbers(vertex)):
            at.setdefault(starts[layout.region_of[number]], []).append(subtask)
        for start, subtasks in at.items():
            yield vertex, fold(subtasks), (start, start + STEPS_TO_FINISHED)


def _vertex_waits(graph: JobGraph) -> list[tuple[Wait, ...]]:
    """Every vertex waits for its own inputs."""
    region = vertex_regions(graph)
    found: list[dict[Wait, None]] = [{} for _ in region]
    for edge in graph.edges:
        inside = region[edge.source] == region[edge.target]
        wait = Wait(vertex=edge.source, state="RUNNING" if inside else "FINISHED", through=edge.target, every=True)
        found[edge.target][wait] = None
    return [tuple(waits) for waits in found]


def _region_waits(graph: JobGraph) -> list[tuple[Wait, ...]]:
    """Every vertex of a region waits for what enters the region anywhere."""
    region = vertex_regions(graph)
    found: dict[int, dict[Wait, None]] = {name: {} for name in region}
    for edge in graph.edges:
        if region[edge.source] != region[edge.target]:
            every = edge.distribution == "ALL_TO_ALL"
            wait = Wait(vertex=edge.source, state="FINISHED", through=edge.target, every=every)
            found[region[edge.target]][wait] = None
    waits = {name: tuple(entering) for name, entering in found.items()}
    return [waits[name] for name in region]
