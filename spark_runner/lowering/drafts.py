"""Passes under construction, and where each stream of a job is found among them."""

from __future__ import annotations

from dataclasses import dataclass, field

from planner.graphs.stream_graph import StreamGraph
from spark_runner.program.program import Committer, Engine, Inlet, Operation, Outlet, Pass


@dataclass(slots=True)
class Draft:
    """A pass under construction."""

    step: int
    engine: Engine
    parallelism: int
    operations: list[Operation] = field(default_factory=list)
    inlets: list[Inlet] = field(default_factory=list)
    outlets: list[Outlet] = field(default_factory=list)
    grouped: bool = False

    def freeze(self) -> Pass:
        return Pass(
            step=self.step,
            engine=self.engine,
            parallelism=self.parallelism,
            operations=tuple(self.operations),
            inlets=tuple(self.inlets),
            outlets=tuple(self.outlets),
            grouped=self.grouped,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """The records of one operator (or of one of its side outputs) inside the program."""

    source: int  # pass
    operation: int | None
    tag: str | None
    pickled: bool
    columns: str | None = None
    declared_by: int | None = None


def committers_of(graph: StreamGraph, nodes: tuple[int, ...]) -> tuple[Committer, ...]:
    """The committers among a vertex's nodes."""
    found = (graph.by_id[node] for node in nodes)
    return tuple(
        # a key of its own: the sink's is its writer's
        Committer(node=one.id, name=one.name, key=f"{one.operator.key}.committer")
        for one in found
        if one.role == "committer"
    )
