"""What a run of vertices and chunks has counted so far, batch by batch; one that ends with its input is one batch.

A batch that runs again replaces its own figures.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from planner.job import Writer
from spark_runner.figures.results import (
    MANY_STAGES,
    OperatorFigures,
    RunResult,
    SinkFigures,
    StreamBatch,
    SubtaskFigures,
    VertexBatch,
    VertexFigures,
)
from spark_runner.program.chunks import ChunkPlan, ChunkSink
from spark_runner.program.program import SparkProgram

__all__ = ["Totals"]


class Totals:
    """Sums over all batches of a run."""

    def __init__(self, job: ChunkPlan, program: SparkProgram) -> None:
        self.job, self.program = job, program
        self.targets: dict[int, str | None] = {}
        self._last: tuple[int, list[dict[str, Any]]] | None = None
        self._taken: dict[tuple[int, int], int] = {}  # vertex, operator -> records
        self._given: dict[tuple[int, int], int] = {}
        self._arrived: dict[int, int] = {}  # by vertex
        self._edges: dict[int, int] = {}
        self._subtasks: dict[tuple[int, int], dict[str, Any]] = {}
        self._state: dict[tuple[int, int], dict[str, Any]] = {}  # the latest figures of every subtask
        self._timers: dict[tuple[int, int], int | None] = {}

    @property
    def next_timer(self) -> int | None:
        """The earliest timer of processing time that anybody has set."""
        return min((timer for timer in self._timers.values() if timer is not None), default=None)

    def take(self, batch: int, figures: list[dict[str, Any]]) -> None:
        """The figures of one batch, in the attempt that was written."""
        if self._last is not None and self._last[0] == batch:
            self._add(self._last[1], -1)
        self._last = (batch, figures)
        self._add(figures, 1)
        for one in figures:
            self._timers[one["vertex"], one["subtask"]] = one["timer"]

    def _add(self, figures: list[dict[str, Any]], sign: int) -> None:
        for one in figures:
            vertex = one["vertex"]
            _plus(self._arrived, vertex, sign * one["taken"])
            for number, (taken, given, _) in enumerate(one["operators"]):
                _plus(self._taken, (vertex, number), sign * taken)
                _plus(self._given, (vertex, number), sign * given)
            for edge, count in one["edges"].items():
                _plus(self._edges, int(edge), sign * count)
            fresh = {"host": one["host"], "started": one["started"], "seconds": 0.0}
            subtask = self._subtasks.setdefault((vertex, one["subtask"]), fresh)
            subtask["seconds"] += sign * one["seconds"]

    def batch(
        self, number: int, figures: list[dict[str, Any]], seconds: float, backlog: tuple[tuple[str, str], ...]
    ) -> StreamBatch:
        """One batch, for who watches the run."""
        for one in figures:
            self._state[one["vertex"], one["subtask"]] = one
        vertices = []
        for vertex in self.job.vertices[: len(self.program.steps)]:
            now = [one for one in figures if one["vertex"] == vertex.number]
            state = [one for (owner, _), one in self._state.items() if owner == vertex.number]
            marks = [one["watermark"] for one in state if one["watermark"] is not None]
            vertices.append(
                VertexBatch(
                    vertex=vertex.number,
                    name=vertex.name,
                    records_in=sum(one["taken"] for one in now),
                    records_out=sum(sum(one["edges"].values()) for one in now),
                    late=sum(late for one in now for _, _, late in one["operators"]),
                    watermark=min(marks) if vertex.watermarks and marks else None,
                    keys=sum(one["keys"] for one in state),
                    bytes=sum(one["bytes"] for one in state),
                )
            )
        return StreamBatch(batch=number, ended=time.time(), seconds=seconds, vertices=tuple(vertices), backlog=backlog)

    def result(self) -> RunResult:
        """The figures of the run."""
        return RunResult(
            vertices=tuple(self._vertex(number) for number in range(len(self.program.steps))),
            sinks=tuple(self._sink(sink) for sink in self.job.sinks),
        )

    def _vertex(self, number: int) -> VertexFigures:
        vertex, step = self.job.vertices[number], self.program.steps[number]
        found = dict[int, OperatorFigures]()
        for figures in self._operators(number):
            # of several parts of one node, the first takes its records and the last gives them
            first = found.get(figures.node, figures)
            found[figures.node] = replace(figures, records_in=first.records_in)
        return VertexFigures(
            vertex=number,
            name=vertex.name,
            parallelism=vertex.parallelism,
            operators=tuple(found[node] for node in step.nodes if node in found),
            subtasks=tuple(
                SubtaskFigures(
                    subtask=subtask,
                    stage=MANY_STAGES,
                    attempt=0,
                    host=one["host"],
                    started=one["started"],
                    seconds=one["seconds"],
                )
                for (owner, subtask), one in sorted(self._subtasks.items())
                if owner == number
            ),
        )

    def _operators(self, number: int) -> list[OperatorFigures]:
        found = []
        for source in self.job.sources:
            if source.vertex == number:
                operator = source.operator
                given = None if source.sql else self._arrived.get(number, 0)
                found.append(_figures(source.operation.node, operator.key, source.operation.name, 0, given))
        for at, one in enumerate(self.job.vertices[number].operations):
            counts = self._taken.get((number, at), 0), self._given.get((number, at), 0)
            if not one.id.endswith("-time") or self.job.script:
                found.append(_figures(one.node, one.operator.key, one.name, *counts))
        for sink in self.job.sinks:
            if sink.vertex == number:
                found.append(_figures(sink.node, sink.operator.key, sink.name, self._received(sink), 0))
        found += [_figures(one.node, one.key, one.name, 0, 0) for one in self.program.steps[number].committers]
        return found

    def _received(self, sink: ChunkSink) -> int | None:
        flows = self.job.flows_into(sink)
        if any(flow.sql for flow in flows):
            return None
        return sum(self._edges.get(flow.number, 0) for flow in flows)

    def _sink(self, sink: ChunkSink) -> SinkFigures:
        behaviour = sink.operator.behaviour
        return SinkFigures(
            operator=sink.operator.key,
            format=behaviour.format if isinstance(behaviour, Writer) else sink.kind,
            path=self.targets.get(sink.number),
            records=self._received(sink),
        )


def _plus(counts: dict[Any, int], key: Any, more: int) -> None:
    counts[key] = counts.get(key, 0) + more


def _figures(node: int, key: str, name: str, taken: int | None, given: int | None) -> OperatorFigures:
    return OperatorFigures(node=node, key=key, name=name, records_in=taken, records_out=given)
