"""The order in which executions go from CREATED over SCHEDULED and DEPLOYING to RUNNING.

Time is counted in steps, one a change of state: the order is planned, how long a step takes is not known.

- eager: everything is scheduled at once, and deployed when every slot is there
- lazy: the sources first; a vertex follows when its pipelined inputs run and its blocking ones are finished
- regions: a pipelined region at a time, when the blocking results it reads are finished (what Flink does today)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from planner.deployment.layout import Layout, Range, fold
from planner.deployment.steps import (
    FIRST_STEP,
    STEPS_TO_FINISHED,
    STEPS_TO_RUNNING,
    lazy_steps,
    region_steps,
    vertex_region_steps,
    vertex_regions,
)
from planner.job_graph import JobEdge, JobGraph

__all__ = ["STATES", "Execution", "ExecutionState", "Schedule", "Strategy", "Wait", "schedule_executions"]

Strategy = Literal["eager", "lazy", "regions"]
ExecutionState = Literal["CREATED", "SCHEDULED", "DEPLOYING", "RUNNING", "FINISHED"]
STATES: tuple[ExecutionState, ...] = ("CREATED", "SCHEDULED", "DEPLOYING", "RUNNING", "FINISHED")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """A vertex that must have reached a state first."""

    vertex: int
    state: Literal["RUNNING", "FINISHED"]
    through: int  # the vertex that reads it: another one of the region where that is not the waiting one itself
    every: bool  # all its subtasks, or only those that a waiting subtask reads

    def to_dict(self) -> dict[str, Any]:
        """The wait as JSON-ready data."""
        return {"vertex": self.vertex, "state": self.state, "through": self.through, "every_subtask": self.every}


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """Subtasks of one vertex that change state at the same steps."""

    vertex: int
    subtasks: tuple[Range, ...] | None  # None: batch mode has not decided how many there are
    scheduled: int  # the step
    ends: bool  # batch: it finishes, and others may wait for that
    waits_for: tuple[Wait, ...]

    @property
    def running(self) -> int:
        """The step at which they run."""
        return self.scheduled + STEPS_TO_RUNNING

    @property
    def finished(self) -> int | None:
        """The first step at which they may be finished; None where they run as long as the job does."""
        return self.scheduled + STEPS_TO_FINISHED if self.ends else None

    def state(self, step: int) -> ExecutionState:
        """The state at a step."""
        if step < self.scheduled:
            return "CREATED"
        return STATES[min(step - self.scheduled + 1, len(STATES) - (1 if self.ends else 2))]

    def to_dict(self) -> dict[str, Any]:
        """The executions as JSON-ready data."""
        return {
            "vertex": self.vertex,
            "subtasks": None if self.subtasks is None else [list(span) for span in self.subtasks],
            "scheduled": self.scheduled,
            "deploying": self.scheduled + 1,
            "running": self.running,
            "finished": self.finished,
            "waits_for": [wait.to_dict() for wait in self.waits_for],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """All executions in the order in which they are scheduled: by step, then as the vertices stand."""

    strategy: Strategy
    executions: tuple[Execution, ...]

    @property
    def last_step(self) -> int:
        """The step after which nothing changes any more."""
        return max((execution.finished or execution.running for execution in self.executions), default=0)

    def to_dict(self) -> dict[str, Any]:
        """The schedule as JSON-ready data."""
        return {
            "strategy": self.strategy,
            "steps": self.last_step,
            "executions": [execution.to_dict() for execution in self.executions],
        }


def schedule_executions(graph: JobGraph, layout: Layout | None, strategy: Strategy) -> Schedule:
    """Schedule a job; without a layout by vertex, since the subtasks are not known."""
    if strategy == "regions" and layout is not None:
        parts = _by_region(layout)
    else:
        parts = _by_vertex(graph, layout, strategy)
    region = vertex_regions(graph)
    into = _inputs_by_region(graph, region)
    found = [
        Execution(
            vertex=vertex,
            subtasks=subtasks,
            scheduled=step,
            ends=graph.dynamic,
            waits_for=() if step == FIRST_STEP else _waits(vertex, region, into[region[vertex]], strategy),
        )
        for vertex, subtasks, step in parts
    ]
    return Schedule(strategy=strategy, executions=tuple(sorted(found, key=lambda e: (e.scheduled, e.vertex))))


_Part = tuple[int, tuple[Range, ...] | None, int]  # vertex, subtasks, step


def _by_vertex(graph: JobGraph, layout: Layout | None, strategy: Strategy) -> Iterable[_Part]:
    if strategy == "eager":
        steps = [FIRST_STEP] * len(graph.vertices)
    else:
        steps = lazy_steps(graph) if strategy == "lazy" else vertex_region_steps(graph)
    for vertex, step in enumerate(steps):
        yield vertex, None if layout is None else ((0, len(layout.numbers(vertex)) - 1),), step


def _by_region(layout: Layout) -> Iterable[_Part]:
    steps = region_steps(layout)
    for vertex in range(len(layout.job_graph.vertices)):
        at: dict[int, list[int]] = {}
        for subtask, number in enumerate(layout.numbers(vertex)):
            at.setdefault(steps[layout.region_of[number]], []).append(subtask)
        for step, subtasks in at.items():
            yield vertex, fold(subtasks), step


def _inputs_by_region(graph: JobGraph, region: Sequence[int]) -> dict[int, list[JobEdge]]:
    into: dict[int, list[JobEdge]] = {name: [] for name in region}
    for edge in graph.edges:
        into[region[edge.target]].append(edge)
    return into


def _waits(vertex: int, region: Sequence[int], into: Sequence[JobEdge], strategy: Strategy) -> tuple[Wait, ...]:
    """What a vertex waits for: lazily its own inputs, by region those that enter its region."""
    found: dict[Wait, None] = {}
    for edge in into:
        inside = region[edge.source] == region[edge.target]
        if inside if strategy == "regions" else edge.target != vertex:
            continue
        wait = Wait(
            vertex=edge.source,
            state="RUNNING" if inside else "FINISHED",
            through=edge.target,
            every=strategy == "lazy" or edge.distribution == "ALL_TO_ALL",
        )
        found[wait] = None
    return tuple(found)
