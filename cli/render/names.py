"""Vertex names that tell vertices apart."""

from __future__ import annotations

from collections import Counter

from planner.pipeline import Plan

__all__ = ["vertex_labels", "vertex_names"]

_LONGEST = 100  # characters that the names of all vertices may have together in one line


def vertex_names(plan: Plan) -> list[str]:
    """The name of every job vertex, with the key of its first operator where several have one name."""
    assert plan.job_graph is not None
    vertices, nodes = plan.job_graph.vertices, plan.stream_graph.by_id
    used = Counter(vertex.name for vertex in vertices)
    return [
        vertex.name if used[vertex.name] == 1 else f"{vertex.name} ({nodes[vertex.head].operator.key})"
        for vertex in vertices
    ]


def vertex_labels(plan: Plan) -> list[str]:
    """What vertices are called where many of them stand in one line: their names, or numbers where those are long."""
    names = vertex_names(plan)
    return names if sum(map(len, names)) <= _LONGEST else [f"v{number}" for number in range(1, len(names) + 1)]
