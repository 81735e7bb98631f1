"""What is asked of a deployment; importing it costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.records import record

if TYPE_CHECKING:
    from planner.deployment.schedule import Strategy
    from planner.flink.profile import LoadBalanceMode

__all__ = ["DeploymentRequest"]


@record
class DeploymentRequest:
    """What was asked for; None is not asked."""

    task_managers: int | None = None
    slots: int | None = None  # of each task manager
    load_balance: LoadBalanceMode | None = None
    seed: int | None = None  # which of the possible placements; None: slots in their own order
    schedule: Strategy | None = None
    fail: tuple[str, ...] = ()  # each VERTEX[SUBTASK]
    lose_task_manager: bool = False  # the task manager of the failing subtask is lost with it
