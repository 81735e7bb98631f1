"""Everything about a run that can go wrong before anything is started: the job, its plan, what Spark can do, Java."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from pathlib import Path

from planner.errors import ExecutionError, JobDefinitionError, OptionError
from planner.frontends.loading import load_job
from planner.job import JobDefinition, RestartStrategy
from planner.pipeline import Plan
from planner.pipeline import plan as compile_plan
from planner.settings.pyproject import load_config
from spark_runner.clusters.java import find_java
from spark_runner.clusters.master import check_deploy_mode, parse_master
from spark_runner.clusters.request import RunRequest
from spark_runner.lowering.lower import lower
from spark_runner.program.program import SparkProgram
from spark_runner.runs.restart import effective_strategy

__all__ = ["PreparedRun", "check_machine", "prepare", "prepare_job"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRun:
    """A job that is known to compile and to have a Spark program."""

    plan: Plan
    program: SparkProgram
    strategy: RestartStrategy


def prepare(request: RunRequest) -> PreparedRun:
    """Load and compile the job of a request; the job's file is found from the request's folder."""
    spec = request.job if Path(request.job).is_absolute() else str(Path(request.folder, request.job))
    return prepare_job(load_job(_shortest(spec)), request)


def prepare_job(job: JobDefinition, request: RunRequest) -> PreparedRun:
    """Compile a job for Spark, or refuse it."""
    if not job.operators:
        raise JobDefinitionError("the job is empty: there is nothing to run", location=job.location)
    check_deploy_mode(parse_master(request.master), request.deploy_mode)
    config = load_config(Path(request.folder)).for_job(job.name, job.location.file)
    compiled = compile_plan(job, flink=request.flink or config.flink)
    program = lower(compiled, mode=request.mode)
    if program.mode == "batch" and (request.checkpoint or request.trigger):
        option = "--checkpoint" if request.checkpoint else "--trigger"
        raise OptionError(f"{option} is for streaming runs, and this job runs as a batch: its sources are bounded")
    return PreparedRun(
        plan=compiled,
        program=program,
        strategy=effective_strategy(job.restart_strategy, config.restart_strategy),
    )


def check_machine(request: RunRequest) -> None:
    """Refuse a run that this machine cannot drive: PySpark, and Java unless it is elsewhere."""
    if importlib.util.find_spec("pyspark") is None:
        raise ExecutionError("PySpark is not installed", hint="pip install 'plan-inspector[spark]'")
    if parse_master(request.master).kind != "connect":
        find_java()


def _shortest(spec: str) -> str:
    """The path from here where that is shorter: messages name the file as the user would."""
    here = f"{Path.cwd()}/"
    return spec.removeprefix(here) or spec
