"""A program of vertices and chunks to read: its sources, the layers between exchanges, and what keeps state."""

from __future__ import annotations

from typing import Any

from spark_runner.program.chunks import ChunkPlan, ChunkSource, Flow, Vertex
from spark_runner.program.program import SparkProgram

__all__ = ["chunk_data", "chunk_lines"]


def chunk_lines(program: SparkProgram, job: ChunkPlan, master: str) -> list[str]:
    """The program as indented lines, one vertex after the other."""
    lines = [f"{program.name}: {program.mode} on {master}, {_shape(program, job)} (nothing was started)"]
    for vertex in job.vertices[: len(program.steps)]:
        lines += ["", f"vertex {vertex.number}  {vertex.name}", f"  layer {vertex.layer}: {_engine(job, vertex)}"]
        lines += [f"    {_entry(flow)}" for flow in _entering(program, job, vertex)]
        lines += [f"    source: {_source(source)}" for source in job.sources if source.vertex == vertex.number]
        for one in vertex.operations:
            key, name, _ = one.told_as
            lines.append(f"    {name} ({key}){', keyed state' if one.keyed else ''}")
        lines += [
            f"    {sink.kind}: {sink.name} ({sink.operator.key})" for sink in job.sinks if sink.vertex == vertex.number
        ]
    return lines


def _shape(program: SparkProgram, job: ChunkPlan) -> str:
    layers = len(job.layers) + 1
    if program.mode == "batch":
        return "1 layer" if layers == 1 else f"{layers} layers"
    end = "ends with its input" if job.bounded else "runs until it is stopped"
    return f"one query of {layers} layers, {end}"


def chunk_data(program: SparkProgram, job: ChunkPlan, master: str) -> dict[str, Any]:
    """The program as JSON-ready data; functions stay with the plan."""
    return {
        "name": program.name,
        "mode": program.mode,
        "master": master,
        "bounded": job.bounded,
        "vertices": [
            {
                "vertex": vertex.number,
                "id": program.steps[vertex.number].id,
                "name": vertex.name,
                "parallelism": vertex.parallelism,
                "layer": vertex.layer,
                "stateful": vertex.stateful,
                "operators": [one.operator.key for one in vertex.operations],
                "parts": [
                    {"operator": one.told_as[0], "name": one.told_as[1], "keyed": one.keyed}
                    for one in vertex.operations
                ],
                "inputs": [
                    {
                        "vertex": flow.source,
                        "ship_strategy": flow.strategy,
                        "producers": flow.producers,
                        "consumers": flow.consumers,
                    }
                    for flow in _entering(program, job, vertex)
                ],
                "sinks": [
                    {"operator": sink.operator.key, "name": sink.name, "kind": sink.kind}
                    for sink in job.sinks
                    if sink.vertex == vertex.number
                ],
            }
            for vertex in job.vertices[: len(program.steps)]
        ],
    }


def _entering(program: SparkProgram, job: ChunkPlan, vertex: Vertex) -> list[Flow]:
    """What comes from other vertices of the job; a source's own chain may be fed by a layer upstream."""
    return [flow for flow in job.flows if flow.target == vertex.number and flow.source < len(program.steps)]


def _engine(job: ChunkPlan, vertex: Vertex) -> str:
    subtasks = "1 subtask" if vertex.parallelism == 1 else f"{vertex.parallelism} subtasks"
    if vertex.layer == 0:
        return f"one mapInArrow after the source, {subtasks}"
    stateful = any(other.stateful for other in job.layers[vertex.layer - 1])
    return f"{'transformWithState' if stateful else 'mapInArrow'} by slot, {subtasks}"


def _entry(flow: Flow) -> str:
    return f"from vertex {flow.source}: {flow.strategy} {flow.producers} -> {flow.consumers}"


def _source(source: ChunkSource) -> str:
    sql = "".join(f" -> {one.name} (SQL)" for one in source.sql)
    return f"{source.operation.name} ({source.operator.key}), {'bounded' if source.bounded else 'unbounded'}{sql}"
