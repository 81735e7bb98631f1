"""A plan as the page's script reads it: one plain document, every repeated text once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cli.render.page.python_layer import python_data
from cli.render.page.runs import as_runs
from cli.render.page.settings import id_origin, settings_of
from planner.chaining.evaluation import check_conditions
from planner.chaining.registry import RULES
from planner.deployment.deployment import Deployment
from planner.deployment.failover import plan_failover
from planner.deployment.layout import Layout, lay_out
from planner.explanation.edges import EdgeExplanation
from planner.explanation.explain import Explanation
from planner.explanation.order import explain_order
from planner.graphs.state import describe_state
from planner.pipeline import Plan

__all__ = ["plan_data"]

MOST_REGIONS = 64  # above that a failure is told by its region alone


def plan_data(plan: Plan, explanation: Explanation, deployment: Deployment | None) -> dict[str, Any]:
    """Operators, tasks, edges, subtasks and slots."""
    texts = _Texts()
    layout = deployment.layout if deployment and deployment.layout else lay_out(plan)
    return {
        "name": explanation.name,
        "file": plan.job.location.file,
        "batch": plan.stream_graph.batch,
        "figures": explanation.summary.to_dict(),
        "buffers": [explanation.buffers_per_channel, explanation.floating_buffers],
        "rules": [
            {"code": rule.code, "slug": rule.slug, "summary": rule.summary, "why": rule.why, "fix": rule.fix}
            for rule in RULES
        ],
        "operators": _operators(plan, explanation, texts),
        "tasks": _tasks(plan, explanation),
        "edges": [_edge(plan, edge, texts) for edge in explanation.edges],
        "python": python_data(explanation.python) if explanation.python else None,
        "execution": _execution(plan, layout, deployment) if layout else None,
        "texts": texts.all,
    }


class _Texts:
    """Texts by number, each kept once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))

    def numbered(self, texts: Iterable[str]) -> list[int]:
        return [self.number(text) for text in texts]

    @property
    def all(self) -> list[str]:
        return list(self.numbers)


def _operators(plan: Plan, explanation: Explanation, texts: _Texts) -> list[dict[str, Any]]:
    task_of = {link.operator.node: chain.position for chain in explanation.chains for link in chain.links}
    return [
        {
            "node": ref.node,
            "key": ref.key,
            "name": ref.name,
            "kind": ref.kind,
            "id": ref.operator_id,
            "uid": ref.uid,
            "idFrom": texts.number(id_origin(plan, ref)),
            "place": str(ref.location),
            "task": task_of.get(ref.node),
            "state": ref.state,
            "stateWords": texts.number(describe_state(ref.state)),
            "parallelism": ref.parallelism,
            "settings": [texts.numbered(setting) for setting in settings_of(plan, ref)],
            "note": plan.stream_graph.by_id[ref.node].operator.description or "",
        }
        for ref in explanation.operators.values()
    ]


def _tasks(plan: Plan, explanation: Explanation) -> list[dict[str, Any]]:
    order = explain_order(plan.job_graph) if plan.job_graph else ()
    return [
        {
            "name": chain.name,
            "id": chain.id,
            "parallelism": chain.parallelism,
            "maxParallelism": chain.max_parallelism,
            "group": chain.slot_sharing_group,
            "operators": [link.operator.node for link in chain.links],
            "depths": [link.depth for link in chain.links],
            "order": order[chain.position].sentence if order else "",
        }
        for chain in explanation.chains
    ]


def _edge(plan: Plan, edge: EdgeExplanation, texts: _Texts) -> dict[str, Any]:
    conditions = check_conditions(plan, edge.position)
    return {
        "source": edge.source.node,
        "target": edge.target.node,
        "partitioner": edge.partitioner,
        "exchange": edge.exchange_mode,
        "input": edge.type_number,
        "side": edge.side_output,
        "verdict": edge.verdict,
        "askedBy": texts.number(edge.asked_by),
        "place": str(edge.location),
        "obstacles": [obstacle.code for obstacle in edge.obstacles],
        "conditions": texts.numbered(condition.found for condition in conditions),
        "changes": list(edge.changes),
        "settings": list(edge.settings),
        "traffic": edge.traffic.to_dict() if edge.traffic else None,
    }


def _execution(plan: Plan, layout: Layout, deployment: Deployment | None) -> dict[str, Any]:
    vertices = range(len(layout.job_graph.vertices))
    return {
        "parallelisms": list(layout.execution_graph.parallelisms),
        "slots": len(layout.physical.slots),
        "regions": len(layout.physical.failover_regions),
        "slotOf": [as_runs(layout.slot_of[number] for number in layout.numbers(vertex)) for vertex in vertices],
        "regionOf": [as_runs(layout.region_of[number] for number in layout.numbers(vertex)) for vertex in vertices],
        "edges": [
            {
                "edge": layout.job_graph.edges[edge.job_edge].stream_edge,
                "source": edge.source,
                "target": edge.target,
                "ship": layout.job_graph.edges[edge.job_edge].ship_strategy,
                "all": edge.distribution == "ALL_TO_ALL",
                "blocking": layout.is_blocking(edge),
                "channels": edge.channels,
                "low": as_runs(low for _, low, _ in edge.consumed),
                "high": as_runs(high for _, _, high in edge.consumed),
            }
            for edge in layout.execution_graph.edges
        ],
        "restarts": _restarts(layout),
        "placement": _placement(deployment),
    }


def _restarts(layout: Layout) -> list[list[tuple[int, str]]] | None:
    """For every region, which regions restart when a subtask of it fails. None: only that region."""
    regions = layout.physical.failover_regions
    if len(regions) > MOST_REGIONS or not any(layout.blocking_edges()):
        return None
    return [
        [(restart.region, restart.reason) for restart in plan_failover(layout, members[0]).restarts]
        for members in regions
    ]


def _placement(deployment: Deployment | None) -> dict[str, Any] | None:
    if deployment is None or deployment.placement is None:
        return None
    placement = deployment.placement
    return {
        "taskManagers": placement.cluster.task_managers,
        "slots": placement.cluster.slots,
        "managerOf": as_runs(placement.task_managers),
        "numberOf": as_runs(placement.numbers),
    }
