"""Small jobs for planner tests, written as the YAML format's own data."""

from __future__ import annotations

from typing import Any

from planner.frontends.yaml.loader import load_job_data
from planner.job import JobDefinition, Location
from planner.pipeline import Plan, plan

SOURCE = {"id": "source", "type": "source"}
SINK = {"id": "sink", "type": "sink", "input": "map"}


def job(*operators: dict[str, Any], **settings: Any) -> JobDefinition:
    """A job of these operators."""
    return load_job_data({"operators": list(operators), **settings}, Location("job.yaml", 1))


def planned(*operators: dict[str, Any], **settings: Any) -> Plan:
    """The plan of these operators."""
    return plan(job(*operators, **settings))


def mapped(source: Any = "source", **attributes: Any) -> dict[str, Any]:
    """A map called `map`."""
    return {"id": "map", "type": "map", "input": source, **attributes}


def obstacles(made: Plan, source: str, target: str) -> list[str]:
    """The codes on the edge between two operators, by their keys."""
    graph = made.stream_graph
    for edge, found in zip(graph.edges, made.obstacles, strict=True):
        if (graph.by_id[edge.source].operator.key, graph.by_id[edge.target].operator.key) == (source, target):
            return [obstacle.code for obstacle in found]
    raise AssertionError(f"no edge {source} -> {target}")
