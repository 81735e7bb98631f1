"""`plan show`: the stages themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from cli import console, locate
from cli.compiler_options import NO_OPTIONS, CompilerOptions
from cli.deployment_options import (
    FailOption,
    LoadBalanceOption,
    LoseOption,
    ScheduleOption,
    SeedOption,
    SlotsOption,
    SpreadOption,
    TaskManagersOption,
    load_balance,
    show_deployment,
)
from cli.load_options import ApiOption, ParallelismOption, load_options
from cli.options import FlinkOption, FormatOption, JobArgument, StageName, TextOrJson
from cli.render.styled import Line
from cli.render.text.stages import stage_lines
from planner.deployment.request import DeploymentRequest
from planner.errors import OptionError
from planner.pipeline import STAGES, Plan, Stage

if TYPE_CHECKING:
    from planner.deployment.deployment import Deployment

TOO_FEW_SLOTS = 2  # the options are wrong, as for `plan render`
KEYS: dict[Stage, str] = {
    "stream": "stream_graph",
    "job": "job_graph",
    "execution": "execution_graph",
    "physical": "physical",
}

# Of a job that Flink described.
OBSERVED_KEYS: dict[Stage, tuple[str, ...]] = {"stream": ("operators", "edges"), "job": ("vertices",)}


def show(
    context: typer.Context,
    job: JobArgument = None,
    stage: Annotated[StageName, typer.Option(help="Which of Flink's graphs to print.")] = "all",
    format: FormatOption = "text",
    task_managers: TaskManagersOption = None,
    slots: SlotsOption = None,
    load_balance_mode: LoadBalanceOption = None,
    seed: SeedOption = None,
    spread: SpreadOption = None,
    schedule: ScheduleOption = None,
    fail: FailOption = None,
    lose_task_manager: LoseOption = False,
    flink: FlinkOption = None,
    api: ApiOption = None,
    parallelism: ParallelismOption = None,
    compiler: CompilerOptions = NO_OPTIONS,
) -> int:
    """Print a stage of the plan: stream graph, job graph, execution graph or physical deployment; or a savepoint.

    The physical stage can be deployed: on a cluster (--task-managers, --slots, or [tool.plan.cluster] in
    pyproject.toml), in an order (--schedule), and with a subtask that fails (--fail).

    Of a savepoint (its folder, or the file _metadata in it) it prints the operators and their states.

    Examples:
      plan show job.yaml --stage job
      plan show job.py --stage physical --task-managers 3 --slots 2 --load-balance slots
      plan show job.py --stage physical --schedule lazy
      plan show job.py --stage physical --fail 'Map[3]'
      plan show job.yaml --stage all --format json
      plan show savepoints/savepoint-4f2a
      plan show http://localhost:8081 --stage job
    """
    request = DeploymentRequest(
        task_managers=task_managers,
        slots=slots,
        load_balance=load_balance(load_balance_mode, spread),
        seed=seed,
        schedule=schedule,
        fail=tuple(fail or ()),
        lose_task_manager=lose_task_manager,
    )
    if job is not None and locate.is_savepoint(job):
        if stage != "all" or request != DeploymentRequest():
            raise OptionError(f"{job} is a savepoint, which has no stages", hint="only --format is for savepoints")
        _show_savepoint(job, format)
        return 0
    stages: tuple[Stage, ...] = STAGES if stage == "all" else (stage,)
    options = load_options(context.obj, api=api, parallelism=parallelism, flink=flink, compiler=compiler)
    compiled = locate.load_plan(job, options, until=stages[-1], flink=flink)
    if compiled.observed is not None:
        locate.refuse_stage(str(job), compiled, stage if request == DeploymentRequest() else "physical")
        stages = ("stream", "job") if stage == "all" else stages
    deployment = show_deployment(compiled, stages, request)
    if format == "json":
        console.write_json(_document(compiled, stages, deployment))
    else:
        console.write_lines([*stage_lines(compiled, stages), *_deployment_lines(deployment, job)])
    asked_in_vain = deployment is not None and deployment.shortage is not None and request != DeploymentRequest()
    return TOO_FEW_SLOTS if asked_in_vain else 0


def _show_savepoint(argument: str, format: TextOrJson) -> None:
    contents = locate.load_contents(argument)
    if format == "json":
        console.write_json(contents.to_dict())
        return
    from cli.render.text.savepoint import savepoint_lines

    console.write_lines(savepoint_lines(contents))


def _deployment_lines(deployment: Deployment | None, spec: str | None) -> list[Line]:
    if deployment is None:
        return []
    from cli.render.text.deployment import deployment_lines  # most calls deploy nothing

    return deployment_lines(deployment, spec)


def _document(compiled: Plan, stages: tuple[Stage, ...], deployment: Deployment | None) -> dict[str, Any]:
    """The whole plan as documented, or its name and one stage; a deployment next to them where one was asked for."""
    document = compiled.to_dict()
    if compiled.observed is not None:
        keys = [key for stage in stages for key in OBSERVED_KEYS[stage]]
        return {key: document[key] for key in ("name", "origin", "mode", *keys)}
    if stages != STAGES:
        document = {"name": document["name"], **{KEYS[stage]: document[KEYS[stage]] for stage in stages}}
    return {**document, "deployment": deployment.to_dict()} if deployment else document
