"""What must hold of every answer about a job whose truth is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.observed.job import ObservedJob
from planner.observed.judgement import decide


def complaints(job: ObservedJob, truth: Mapping[str, Any]) -> list[str]:
    """What is wrong with the verdicts and ids of a job; nothing, if all is as it must be."""
    return [*_edge_complaints(job, truth["edges"]), *_id_complaints(job, truth["nodes"])]


def _edge_complaints(job: ObservedJob, edges: Sequence[Mapping[str, Any]]) -> list[str]:
    facts: dict[tuple[object, object], list[Mapping[str, Any]]] = {}
    for edge in edges:
        facts.setdefault((edge["source"], edge["target"]), []).append(edge)
    found = []
    for edge, verdict in zip(job.edges, decide(job), strict=True):
        assert edge.source is not None
        ends = (job.operators[edge.source].id, job.operators[edge.target].id)
        # Two edges between the same operators cannot be told apart in the exports; their verdicts are the same.
        true = facts[ends].pop(0)
        obstacles = set(true["obstacles"])
        if verdict.certainty == "certain" and verdict.chained != true["chained"]:
            found.append(f"{ends}: certain, and wrong")
        if not set(verdict.reasons) <= obstacles:
            found.append(f"{ends}: {verdict.reasons}, but Flink has {obstacles}")
        if verdict.certainty == "one of" and (verdict.chained is not False or true["chained"]):
            found.append(f"{ends}: a cause of what did not happen")
        if not true["chained"] and verdict.certainty != "certain" and not obstacles <= set(verdict.possible):
            found.append(f"{ends}: {obstacles} is not among {verdict.possible}")
        if job.deployed and (verdict.chained is None or verdict.certainty == "expected"):
            found.append(f"{ends}: undecided")
    return found


def _id_complaints(job: ObservedJob, nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    true = {node["id"]: node["operator_id"] for node in nodes}
    wrong = [one for one in job.operators if one.operator_id is not None and one.operator_id != true[one.id]]
    return [f"{operator.name}: the id is wrong" for operator in wrong]
