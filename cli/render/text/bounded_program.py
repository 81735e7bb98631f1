"""A PyFlink program to read: the layers between exchanges, and the parts of every merged operator."""

from __future__ import annotations

from typing import Any

from spark_runner.program.program import SparkProgram

__all__ = ["bounded_data", "bounded_lines"]


def bounded_lines(program: SparkProgram, master: str) -> list[str]:
    """The program as indented lines, one vertex after the other."""
    layout = program.bounded.layout
    lines = [f"{program.name}: batch on {master}, {len(layout.layers) + 1} layers (nothing was started)"]
    for vertex in layout.vertices:
        subtasks = "1 subtask" if vertex.parallelism == 1 else f"{vertex.parallelism} subtasks"
        lines += ["", f"vertex {vertex.number}  {vertex.name}", f"  layer {vertex.layer}: one mapInArrow, {subtasks}"]
        lines += [f"    from vertex {number}: {edge.strategy}" for number, edge in _entries(layout, vertex.number)]
        lines += [f"    {one.name} ({one.key}){', keyed state' if one.keyed else ''}" for one in vertex.operators]
    return lines


def bounded_data(program: SparkProgram, master: str) -> dict[str, Any]:
    """The program as JSON-ready data; functions stay with the plan."""
    layout = program.bounded.layout
    return {
        "name": program.name,
        "mode": program.mode,
        "master": master,
        "vertices": [
            {
                "vertex": vertex.number,
                "id": program.steps[vertex.number].id,
                "name": vertex.name,
                "parallelism": vertex.parallelism,
                "layer": vertex.layer,
                "parts": [{"operator": one.key, "name": one.name, "keyed": one.keyed} for one in vertex.operators],
                "inputs": [
                    {"vertex": number, "ship_strategy": edge.strategy}
                    for number, edge in _entries(layout, vertex.number)
                ],
                "sinks": [
                    {"operator": sink.operator.key, "name": sink.name, "kind": sink.kind}
                    for sink in program.bounded.sinks
                    if sink.vertex == vertex.number
                ],
            }
            for vertex in layout.vertices
        ],
    }


def _entries(layout: Any, vertex: int) -> list[tuple[int, Any]]:
    """The edges into a vertex, each with the vertex it comes from."""
    return [(one.number, edge) for one in layout.vertices for edge in one.edges if edge.target == vertex]
