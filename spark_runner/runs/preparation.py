"""Everything about a run that can go wrong before anything is started: the job, its plan, what Spark can do, Java."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass, replace
from pathlib import Path

from planner.errors import JobDefinitionError, OptionError
from planner.flink.versions import version_for
from planner.frontends.loading import LoadOptions, load_job
from planner.job import JobDefinition, Operator, RestartStrategy
from planner.machine.java import find_java
from planner.pipeline import Plan
from planner.pipeline import plan as compile_plan
from planner.settings.boundedness import data_ends
from planner.settings.flink_options import restart_of
from planner.settings.pyproject import load_config
from spark_runner.clusters.master import check_deploy_mode, parse_master
from spark_runner.clusters.request import RunRequest
from spark_runner.frames.shipping import kept
from spark_runner.lowering.columns import check_columns
from spark_runner.lowering.lower import lower
from spark_runner.program.program import Mode, SparkProgram
from spark_runner.runs.foresight import check_files, check_stream_files
from spark_runner.runs.restart import effective_strategy
from spark_runner.streaming.needs import brings_jars, check_connectors
from spark_runner.streaming.opening import check_stream, open_checkpoint

__all__ = ["PreparedRun", "check_machine", "checkpoint_of", "for_running", "prepare", "prepare_job"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedRun:
    """A job that is known to compile and to have a Spark program."""

    plan: Plan
    program: SparkProgram
    strategy: RestartStrategy


def prepare(request: RunRequest, options: LoadOptions | None = None, *, dry: bool = False) -> PreparedRun:
    """Load and compile the job of a request; the job's file is found from the request's folder.

    A dry run needs no copies of functions, and so neither PySpark nor pyarrow.
    """
    spec = request.job if Path(request.job).is_absolute() else str(Path(request.folder, request.job))
    options = options or LoadOptions()
    options = options if dry else for_running(options)
    return prepare_job(load_job(_shortest(spec), options), request)


def for_running(options: LoadOptions) -> LoadOptions:
    """The options with which a file is loaded to run: functions are kept as they are when they are declared."""
    return replace(options, keep=kept)


def prepare_job(job: JobDefinition, request: RunRequest) -> PreparedRun:
    """Compile a job for Spark, or refuse it."""
    if not job.operators:
        raise JobDefinitionError("the job is empty: there is nothing to run", location=job.location)
    if job.absent_modules:
        raise JobDefinitionError(
            f"the job's file imports what is not installed here: {', '.join(job.absent_modules)}",
            location=job.location,
            hint="a plan can be made without it, a run cannot: install it in the environment of plan",
        )
    master = parse_master(request.master)
    check_deploy_mode(master, request.deploy_mode)
    config = load_config(Path(request.folder)).for_job(job.name, job.location.file)
    compiled = compile_plan(job, flink=version_for(job, asked=request.flink, configured=config.flink))
    mode: Mode = request.mode or ("batch" if all(map(data_ends, _sources(job))) else "streaming")
    if compiled.merging is not None and request.deploy_mode == "cluster":
        raise OptionError(
            "--deploy-mode cluster: a PyFlink script runs here, and so does its driver",
            hint="leave it out: executors still run on the cluster",
        )
    program = lower(compiled, mode)
    if compiled.merging is None:
        check_columns(compiled, packages=brings_jars(request))
    if mode == "batch":
        _refuse_streaming_options(request)
        check_files(program, request, master)
        if program.chunks is not None:
            check_connectors(program.chunks, request)
    elif program.chunks is not None:
        check_stream(program.chunks, request)
        check_stream_files(program, request, master)
    return PreparedRun(
        plan=compiled,
        program=program,
        strategy=effective_strategy(restart_of(job), config.restart_strategy),
    )


def _sources(job: JobDefinition) -> list[Operator]:
    return [operator for operator in job.operators if operator.kind == "source"]


def _refuse_streaming_options(request: RunRequest) -> None:
    given = {
        "--checkpoint": request.checkpoint,
        "--trigger": request.trigger,
        "--allow-lost-state": request.allow_lost_state,
    }
    for option, value in given.items():
        if value:
            raise OptionError(
                f"{option} is for streaming runs, and this job runs as a batch: its sources are bounded",
                hint="run it as a stream with --mode streaming",
            )


def checkpoint_of(request: RunRequest, run_folder: Path) -> Path:
    """Where a streaming run keeps its place."""
    return open_checkpoint(request, run_folder).path


def check_machine(request: RunRequest) -> None:
    """Refuse a run that this machine cannot drive: PySpark, and Java unless it is elsewhere."""
    missing = [name for name in ("pyspark", "pyarrow", "pandas") if importlib.util.find_spec(name) is None]
    if missing:
        raise OptionError(
            f"a run needs {' and '.join(missing)}, not installed in this environment",
            hint="pip install 'plan-inspector[spark]'\nplan run --dry-run shows the Spark program without it",
        )
    if parse_master(request.master).kind != "connect":
        find_java()


def _shortest(spec: str) -> str:
    """The path from here where that is shorter: messages name the file as the user would."""
    here = f"{Path.cwd()}/"
    return spec.removeprefix(here) or spec
