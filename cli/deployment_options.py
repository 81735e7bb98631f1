"""The part of `plan show` that deploys the physical stage on a cluster; not a command of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cli import console
from cli.locate import nearest_config
from planner.deployment.request import DeploymentRequest
from planner.errors import OptionError
from planner.pipeline import Plan, Stage

if TYPE_CHECKING:
    from planner.deployment.deployment import Deployment
    from planner.flink.profile import LoadBalanceMode
    from planner.settings.pyproject import ClusterSettings

__all__ = [
    "FailOption",
    "LoadBalanceOption",
    "LoseOption",
    "ScheduleOption",
    "SeedOption",
    "SlotsOption",
    "SpreadOption",
    "TaskManagersOption",
    "load_balance",
    "show_deployment",
]

TaskManagersOption = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Place the slots on N task managers.", show_default=False),
]
SlotsOption = Annotated[
    int | None,
    typer.Option(
        min=1,
        metavar="M",
        help="Slots of each task manager. Alone: as many task managers as needed.",
        show_default=False,
    ),
]
LoadBalanceOption = Annotated[
    Literal["none", "slots", "tasks", "min-resources"] | None,
    typer.Option(
        "--load-balance",
        help="How Flink shares slots out (taskmanager.load-balance.mode). Default: none, one task manager after the "
        "other.",
        show_default=False,
    ),
]
SpreadOption = Annotated[
    Literal["evenly", "packed"] | None,
    typer.Option(help="Older name: evenly is --load-balance slots, packed is none.", show_default=False),
]
SeedOption = Annotated[
    int | None,
    typer.Option(metavar="N", help="Show another of the placements that Flink may choose.", show_default=False),
]
ScheduleOption = Annotated[
    Literal["eager", "lazy", "regions"] | None,
    typer.Option(help="In which order subtasks are scheduled, deployed and run.", show_default=False),
]
FailOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="VERTEX[SUBTASK]", help="What restarts when this subtask fails. May be repeated.", show_default=False
    ),
]
LoseOption = Annotated[
    bool, typer.Option("--lose-task-manager", help="With --fail: the subtask's task manager is lost with it.")
]


def load_balance(mode: LoadBalanceMode | None, spread: Literal["evenly", "packed"] | None) -> LoadBalanceMode | None:
    """The load balance mode of the two options that may set it."""
    if spread is None:
        return mode
    same: LoadBalanceMode = "slots" if spread == "evenly" else "none"
    if mode is not None and mode != same:
        raise OptionError(
            f"--spread {spread} and --load-balance {mode} contradict each other",
            hint="--spread is the older name: leave it out",
        )
    console.message(f"--spread {spread} is now --load-balance {same}; without it Flink's default holds: none", "dim")
    return same


def show_deployment(compiled: Plan, stages: tuple[Stage, ...], request: DeploymentRequest) -> Deployment | None:
    """The deployment that the options or the project's settings ask for; None where neither does."""
    asked = request != DeploymentRequest()
    if "physical" not in stages:
        if asked:
            raise OptionError(
                f"task managers, schedules and failures belong to the physical stage, not to the {stages[-1]} graph",
                hint="add --stage physical",
            )
        return None
    settings = _settings(compiled)
    sized = settings is not None and (settings.task_managers or settings.slots)
    if not asked and not sized:
        return None
    if (request.load_balance or request.seed is not None) and not (request.task_managers or request.slots or sized):
        option = "--load-balance" if request.load_balance else "--seed"
        raise OptionError(f"{option}: there is no cluster to place slots on", hint="add --task-managers N --slots M")
    from planner.deployment.deployment import plan_deployment  # most calls deploy nothing

    return plan_deployment(compiled, request, settings)


def _settings(compiled: Plan) -> ClusterSettings | None:
    config = nearest_config()
    return config.for_job(compiled.job.name, compiled.job.location.file).cluster if config else None
