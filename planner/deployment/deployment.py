"""A deployment planned ahead: where, when, what if it fails, and what it costs, as far as was asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.deployment.chosen_subtask import choose_subtask
from planner.deployment.cluster import Cluster, resolve_cluster
from planner.deployment.costs import Costs, count_costs
from planner.deployment.failover import RELEASE_OPTION, Failover, plan_failover
from planner.deployment.layout import Layout, lay_out
from planner.deployment.placement import Placement, place_slots
from planner.deployment.request import DeploymentRequest
from planner.deployment.schedule import Schedule, schedule_executions
from planner.deployment.scheduler import refuse_pipelined_batch
from planner.deployment.shortage import Shortage, explain_shortage
from planner.deployment.undecided import Undecided, describe_undecided
from planner.errors import InternalError, OptionError
from planner.flink.availability import LOAD_BALANCE
from planner.flink.profile import LoadBalanceMode
from planner.pipeline import Plan
from planner.settings.pyproject import Cluster as ClusterSettings

__all__ = ["Deployment", "plan_deployment"]


@dataclass(frozen=True, slots=True, kw_only=True)
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
