"""The stages in order, and the one function that runs them up to any of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from planner.chaining.rule import Obstacle
from planner.execution_graph import ExecutionGraph
from planner.job import JobDefinition
from planner.job_graph import JobGraph
from planner.physical import Physical
from planner.stream_graph import StreamGraph

Stage = Literal["stream", "job", "execution", "physical"]
STAGES: tuple[Stage, ...] = ("stream", "job", "execution", "physical")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A job compiled through Flink's graphs, as far as was asked."""

    job: JobDefinition
    stream_graph: StreamGraph
    obstacles: tuple[tuple[Obstacle, ...], ...]  # of every stream edge, in the order of StreamGraph.edges; () is chained
    operator_ids: Mapping[int, str]  # of every stream node
    job_graph: JobGraph | None = None
    execution_graph: ExecutionGraph | None = None  # None in batch mode while a parallelism is undecided
    physical: Physical | None = None

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON-ready data, in the documented shape."""
        raise NotImplementedError


def plan(job: JobDefinition, until: Stage = "physical") -> Plan:
    """Compile a job, stopping after the stage `until`."""
    raise NotImplementedError
