"""The plan in figures: operators, chains, tasks, channels, slots and network buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from planner.explanation.edges import EdgeExplanation
from planner.pipeline import Plan
from planner.records import record

__all__ = ["Summary", "summarise"]


@record
class Summary:
    """Figures of a whole plan; None where batch mode decides them at run time, or Flink's exports do not tell."""

    operators: int
    chains: int
    chained_edges: int
    edges: int
    tasks: int | None  # subtasks of all chains
    channels: int | None
    slots: int | None
    slots_by_group: tuple[tuple[str, int], ...]
    buffers_to_start: int | None  # the fewest network buffers, all on one task manager
    buffers_to_start_apart: int | None  # the same with every channel between two task managers
    buffers_wanted: int | None  # what Flink wants to run well

    def to_dict(self) -> dict[str, Any]:
        """The figures as JSON-ready data."""
        return {
            "operators": self.operators,
            "chains": self.chains,
            "edges": self.edges,
            "chained_edges": self.chained_edges,
            "tasks": self.tasks,
            "channels": self.channels,
            "slots": self.slots,
            "slots_by_group": dict(self.slots_by_group),
            "buffers_to_start": self.buffers_to_start,
            "buffers_to_start_apart": self.buffers_to_start_apart,
            "buffers_wanted": self.buffers_wanted,
        }


def summarise(plan: Plan, edges: Sequence[EdgeExplanation]) -> Summary:
    """The figures of a plan whose edges are explained."""
    seen = plan.observed
    execution = plan.execution_graph if seen is None or seen.settled else None
    slots = execution if seen is None or seen.knows_groups else None
    traffic = [edge.traffic for edge in edges if edge.traffic]
    return Summary(
        operators=len(plan.stream_graph.nodes),
        chains=_chains(plan),
        chained_edges=sum(edge.chained for edge in edges),
        edges=len(edges),
        tasks=execution.execution_vertices if execution else None,
        channels=execution.execution_edges if execution else None,
        slots=slots.required_slots if slots else None,
        slots_by_group=slots.slots_by_group if slots else (),
        buffers_to_start=sum(t.buffers_to_start for t in traffic) if execution else None,
        buffers_to_start_apart=sum(t.buffers_to_start_apart for t in traffic) if execution else None,
        buffers_wanted=sum(t.buffers_wanted for t in traffic) if execution else None,
    )


def _chains(plan: Plan) -> int:
    """How many vertices there are. Flink's own are counted where it deployed the job: operators may lack a place."""
    if plan.observed is not None and plan.observed.job.deployed:
        return len(plan.observed.job.vertices)
    return len(plan.job_graph.vertices) if plan.job_graph else 0
