"""A streaming program to read: its sources, the layers between exchanges, and what keeps state."""

from __future__ import annotations

from typing import Any

from spark_runner.program.program import SparkProgram

__all__ = ["stream_data", "stream_lines"]


def stream_lines(program: SparkProgram, master: str) -> list[str]:
    """The program as indented lines, one vertex after the other."""
    job = program.stream
    end = "ends with its input" if job.bounded else "runs until it is stopped"
    lines = [
        f"{program.name}: streaming on {master}, one query of {len(job.layers) + 1} layers, {end} (nothing was started)"
    ]
    for vertex in job.vertices[: len(program.steps)]:
        lines += ["", f"vertex {vertex.number}  {vertex.name}", f"  layer {vertex.layer}: {_engine(job, vertex)}"]
        lines += [f"    {_entry(flow)}" for flow in _entering(program, vertex)]
        lines += [f"    source: {_source(source)}" for source in job.sources if source.vertex == vertex.number]
        lines += [f"    {_operator(one)}" for one in vertex.operations]
        lines += [
            f"    {sink.kind}: {sink.name} ({sink.operator.key})" for sink in job.sinks if sink.vertex == vertex.number
        ]
    return lines


def stream_data(program: SparkProgram, master: str) -> dict[str, Any]:
    """The program as JSON-ready data."""
    job = program.stream
    return {
        "name": program.name,
        "mode": "streaming",
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
                "operators": [one.operation.operator.key for one in vertex.operations],
                "inputs": [
                    {
                        "vertex": flow.source,
                        "ship_strategy": flow.strategy,
                        "producers": flow.producers,
                        "consumers": flow.consumers,
                    }
                    for flow in _entering(program, vertex)
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


def _entering(program: SparkProgram, vertex: Any) -> list[Any]:
    """What comes from other vertices of the job; a source's own chain may be fed by a layer in front."""
    flows = program.stream.flows
    return [flow for flow in flows if flow.target == vertex.number and flow.source < len(program.steps)]


def _engine(job: Any, vertex: Any) -> str:
    subtasks = "1 subtask" if vertex.parallelism == 1 else f"{vertex.parallelism} subtasks"
    if vertex.layer == 0:
        return f"one mapInArrow behind the source, {subtasks}"
    stateful = any(other.stateful for other in job.layers[vertex.layer - 1])
    return f"{'transformWithState' if stateful else 'mapInArrow'} by slot, {subtasks}"


def _entry(flow: Any) -> str:
    return f"from vertex {flow.source}: {flow.strategy} {flow.producers} -> {flow.consumers}"


def _source(source: Any) -> str:
    sql = "".join(f" -> {one.name} (SQL)" for one in source.sql)
    return f"{source.operation.name} ({source.operator.key}), {'bounded' if source.bounded else 'unbounded'}{sql}"


def _operator(one: Any) -> str:
    state = ", keyed state" if one.operation.keyed else ""
    return f"{one.operation.name} ({one.operation.operator.key}){state}"
