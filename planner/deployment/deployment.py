"""A deployment planned ahead: where, when, what if it fails, and what it costs, as far as was asked."""

from __future__ import annotations

import re
from typing import Any

from planner.deployment.cluster import Cluster, resolve_cluster
from planner.deployment.costs import Costs, count_costs
from planner.deployment.failover import RELEASE_OPTION, Failover, plan_failover
from planner.deployment.layout import Layout, lay_out
from planner.deployment.placement import Placement, place_slots
from planner.deployment.request import DeploymentRequest
from planner.deployment.schedule import Schedule, schedule_executions
from planner.deployment.shortage import Shortage, explain_shortage
from planner.deployment.undecided import Undecided, describe_undecided
from planner.errors import InternalError, OptionError, PlanningError
from planner.flink.availability import LOAD_BALANCE
from planner.flink.profile import LoadBalanceMode
from planner.graphs.job_graph import PIPELINED, JobGraph
from planner.graphs.physical import Subtask
from planner.operators import describe_operators, matches
from planner.pipeline import Plan
from planner.records import record
from planner.settings.pyproject import ClusterSettings
from planner.spelling import nearest_or_all

SCHEDULER_OPTION = "jobmanager.scheduler"


def refuse_pipelined_batch(plan: Plan) -> None:
    """Refuse a pipelined exchange in batch mode: the adaptive batch scheduler, which is the default there, does."""
    graph = plan.job_graph
    if graph is None or not graph.dynamic or str(plan.job.options.get(SCHEDULER_OPTION, "")).lower() == "default":
        return
    edge = next((edge for edge in graph.edges if edge.result_type == PIPELINED), None)
    if edge is None:
        return
    stream_edge = plan.stream_graph.edges[edge.stream_edge]
    source, target = graph.vertices[edge.source].name, graph.vertices[edge.target].name
    operator = plan.stream_graph.by_id[stream_edge.target].operator
    raise PlanningError(
        f"the exchange from {source} to {target} is pipelined, and Flink would not start the job: its batch scheduler "
        '"requires batch workloads to be executed with types of all edges being BLOCKING or HYBRID"',
        location=stream_edge.partition.location if stream_edge.partition else operator.location,
        hint=f"remove `exchange: pipelined`, or set the option `{SCHEDULER_OPTION}: Default`",
    )


_WRITTEN = re.compile(r"(?s)(.+?)(?:\[\s*(\d+)\s*\])?\s*")


def choose_subtask(plan: Plan, written: str, option: str = "--fail") -> Subtask:
    """The subtask that `written` means; an OptionError where there is none, or several may be meant.

    Where batch mode has not decided how many subtasks there are, any number is taken.
    """
    graph = plan.job_graph
    if graph is None:
        raise InternalError("a subtask was chosen from a plan without a job graph")
    match = _WRITTEN.fullmatch(written.strip())
    if match is None:
        raise OptionError(
            f"{option} {written!r}: not of the form VERTEX[SUBTASK]", hint=f"for example {option} 'Map[3]'"
        )
    word, index = match[1].strip(), match[2]
    vertices = _vertices(plan, graph, word)
    if len(vertices) != 1:
        raise _unclear(graph, vertices, word, f"{option} {written}")
    vertex = vertices[0]
    parallelism, name = graph.vertices[vertex].parallelism, graph.vertices[vertex].name
    if index is None and parallelism > 1:
        raise OptionError(
            f"{option} {written}: which of the {parallelism} subtasks?", hint=f"for example {option} '{word}[0]'"
        )
    subtask = int(index or 0)
    if 0 < parallelism <= subtask:
        raise OptionError(
            f"{option} {written}: {name} has no subtask {subtask}",
            hint=f"its subtasks are {word}[0] to {word}[{parallelism - 1}]" if parallelism > 1 else f"use {word}[0]",
        )
    return vertex, subtask


def _vertices(plan: Plan, graph: JobGraph, word: str) -> list[int]:
    """The vertices that may be meant: of this name or id, else with an operator called so, else at this position."""
    found = [at for at, vertex in enumerate(graph.vertices) if word in (vertex.name, vertex.id)]
    if found:
        return found
    meant = {ref.node for ref in matches(word, describe_operators(plan).values(), by_number=False)}
    found = [at for at, vertex in enumerate(graph.vertices) if meant & {*vertex.nodes, *vertex.chained_sources}]
    if found:
        return found
    position = int(word) - 1 if re.fullmatch(r"\d{1,9}", word) else -1
    return [position] if 0 <= position < len(graph.vertices) else []


def _unclear(graph: JobGraph, found: list[int], word: str, asked: str) -> OptionError:
    names = [vertex.name for vertex in graph.vertices]
    if found:
        listed = "\n".join(f"{vertex + 1}  {names[vertex]}" for vertex in found)
        return OptionError(
            f"{asked}: {word!r} matches {len(found)} vertices", hint=f"name one by its position:\n{listed}"
        )
    return OptionError(f"{asked}: there is no vertex {word!r}", hint=nearest_or_all(word, names, "there are"))


@record
class Deployment:
    """The answers. Without a cluster there is no placement; with too few slots there is a shortage instead."""

    plan: Plan
    layout: Layout | None  # None: batch mode has not decided every parallelism
    undecided: Undecided | None
    cluster: Cluster | None
    placement: Placement | None
    shortage: Shortage | None
    schedule: Schedule | None
    failovers: tuple[Failover, ...]
    costs: Costs | None

    def to_dict(self) -> dict[str, Any]:
        """The deployment as JSON-ready data; what was not asked or is not known is null."""
        layout = self.layout
        return {
            "cluster": self.cluster.to_dict() if self.cluster else None,
            "undecided": self.undecided.to_dict() if self.undecided else None,
            "placement": self.placement.to_dict(layout) if self.placement and layout else None,
            "shortage": self.shortage.to_dict() if self.shortage else None,
            "schedule": self.schedule.to_dict() if self.schedule else None,
            "failures": [failover.to_dict(layout) for failover in self.failovers if layout],
            "costs": self.costs.to_dict() if self.costs else None,
        }


def plan_deployment(plan: Plan, request: DeploymentRequest, settings: ClusterSettings | None = None) -> Deployment:
    """Plan what the request asks for, on the cluster of its options or of the settings."""
    if plan.job_graph is None:
        raise InternalError("a deployment was asked of a plan without a job graph")
    refuse_pipelined_batch(plan)
    settings = settings or ClusterSettings()
    mode = _load_balance(plan, request)
    layout = lay_out(plan, mode)
    cluster = resolve_cluster(
        settings,
        task_managers=request.task_managers,
        slots=request.slots,
        required=len(layout.physical.slots) if layout else 1,
    )
    at_once = request.schedule == "eager"
    placement = place_slots(layout, cluster, mode, at_once=at_once, seed=request.seed) if layout and cluster else None
    shortage = (
        explain_shortage(plan, layout, cluster, at_once=at_once) if layout and cluster and not placement else None
    )
    return Deployment(
        plan=plan,
        layout=layout,
        undecided=None
        if layout
        else describe_undecided(plan.job_graph, [choose_subtask(plan, written) for written in request.fail]),
        cluster=cluster,
        placement=placement,
        shortage=shortage,
        schedule=schedule_executions(plan.job_graph, layout, request.schedule, shortage.starting if shortage else None)
        if request.schedule
        else None,
        failovers=_failovers(plan, layout, placement, request),
        costs=count_costs(layout, cluster or _unplaced(settings), placement) if layout else None,
    )


def _load_balance(plan: Plan, request: DeploymentRequest) -> LoadBalanceMode:
    """The mode of the options, else of the job's own option, else none, as in Flink; refused where Flink lacks it."""
    written = request.load_balance or str(plan.job.options.get(LOAD_BALANCE, "none")).lower().replace("_", "-")
    for mode in plan.flink.load_balance_modes:
        if mode == written:
            return mode
    raise OptionError(
        f"--load-balance {written}: Flink {plan.flink.version} does not know it",
        hint=f"it knows {', '.join(plan.flink.load_balance_modes)}",
    )


def _unplaced(settings: ClusterSettings) -> Cluster:
    """The buffer settings alone, where there is nothing to place on."""
    cluster = resolve_cluster(settings, task_managers=1, slots=1)
    assert cluster is not None
    return cluster


def _failovers(
    plan: Plan, layout: Layout | None, placement: Placement | None, request: DeploymentRequest
) -> tuple[Failover, ...]:
    if request.lose_task_manager and not request.fail:
        raise OptionError("--lose-task-manager needs a subtask that fails with it", hint="add --fail VERTEX[SUBTASK]")
    if layout is None:
        return ()
    failed = [choose_subtask(plan, written) for written in request.fail]
    if request.lose_task_manager and placement is None:
        raise OptionError(
            "--lose-task-manager: the subtasks are on no task manager",
            hint="give a cluster that is large enough with --task-managers N --slots M",
        )
    return tuple(
        plan_failover(layout, subtask, placement, lose_task_manager=request.lose_task_manager, release=_releases(plan))
        for subtask in failed
    )


def _releases(plan: Plan) -> bool:
    return str(plan.job.options.get(RELEASE_OPTION, True)).lower() != "false"
