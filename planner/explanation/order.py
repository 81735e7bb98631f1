"""Why every job vertex is where it is in the topological source-first order.

The order is made in two steps. Vertices without inputs come first, in the order the job creates them. Then the outputs
of each placed vertex are walked in turn: a consumer whose inputs are all placed is placed at once, and its own outputs
are walked before anything else. So a vertex is placed by the last of its inputs to be placed, or, where all its inputs
are sources, by the first of them to be walked.
"""

from __future__ import annotations

from typing import Any, Literal

from planner.graphs.job_graph import JobGraph
from planner.records import record

__all__ = ["OrderedVertex", "explain_order"]

OrderReason = Literal["source", "first-walked-source", "last-input", "behind-its-inputs"]


@record
class OrderedVertex:
    """One vertex at its position, and what put it there."""

    position: int
    vertex_id: str
    name: str
    reason: OrderReason
    placed_by: int | None  # position of the vertex whose outputs were walked
    inputs: tuple[int, ...]
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """The placement as JSON-ready data."""
        return {
            "position": self.position,
            "id": self.vertex_id,
            "name": self.name,
            "reason": self.reason,
            "placed_by": self.placed_by,
            "inputs": list(self.inputs),
            "sentence": self.sentence,
        }


def explain_order(graph: JobGraph, *, compiled: bool = True) -> tuple[OrderedVertex, ...]:
    """The vertices in order, each with its reason. Positions in sentences count from 1.

    `compiled` False: Flink described the job, and how it came to this order is not known. Inputs come first anyway.
    """
    inputs: list[list[int]] = [[] for _ in graph.vertices]
    for edge in graph.edges:
        if edge.source not in inputs[edge.target]:
            inputs[edge.target].append(edge.source)
    place = _place if compiled else _place_observed
    return tuple(place(graph, position, sorted(of), inputs) for position, of in enumerate(inputs))


def _place_observed(graph: JobGraph, position: int, own: list[int], inputs: list[list[int]]) -> OrderedVertex:
    return OrderedVertex(
        position=position,
        vertex_id=graph.vertices[position].id,
        name=graph.vertices[position].name,
        reason="behind-its-inputs" if own else "source",
        placed_by=None,
        inputs=tuple(own),
        sentence=f"after its inputs: {_listed([number + 1 for number in own])}" if own else "a source: it has no input",
    )


def _place(graph: JobGraph, position: int, own: list[int], inputs: list[list[int]]) -> OrderedVertex:
    reason: OrderReason = "source"
    placed_by: int | None = None
    if own:
        only_sources = not inputs[own[-1]]
        reason = "first-walked-source" if only_sources else "last-input"
        placed_by = own[0] if only_sources else own[-1]
    return OrderedVertex(
        position=position,
        vertex_id=graph.vertices[position].id,
        name=graph.vertices[position].name,
        reason=reason,
        placed_by=placed_by,
        inputs=tuple(own),
        sentence=_sentence(graph, position, own, reason, placed_by),
    )


def _sentence(graph: JobGraph, position: int, own: list[int], reason: OrderReason, placed_by: int | None) -> str:
    if placed_by is None:
        return "a source: vertices without inputs come first, in the order the job creates them"
    by = f"no. {placed_by + 1} ({graph.vertices[placed_by].name})"
    if len(own) == 1:
        if placed_by == position - 1:
            return f"its only input is {by}; placed directly after it"
        first = "after the sources" if reason == "first-walked-source" else "after what its other outputs lead to"
        return f"its only input is {by}; placed when the outputs of that are visited, {first}"
    others = _listed([number + 1 for number in own if number != placed_by])
    if reason == "first-walked-source":
        visited = f"the outputs of {by} are visited first, before those of {others}"
        return f"all its inputs are sources, already placed; {visited}"
    return f"{by} was the last of its inputs to be placed, after {others}"


def _listed(numbers: list[int]) -> str:
    words = [f"no. {number}" for number in numbers]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
