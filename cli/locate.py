"""Which job a command means, and loading it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cli import console
from planner.errors import OptionError
from planner.frontends.job_files import COMPILED, names_job_file, split_name

if TYPE_CHECKING:
    from planner.explanation.explain import Explanation
    from planner.flink.profile import FlinkProfile
    from planner.frontends.loading import LoadOptions
    from planner.job import JobDefinition
    from planner.pipeline import Plan, Stage
    from planner.savepoints.contents import SavepointContents
    from planner.settings.pyproject import Config

_MAY_CONFIGURE = re.compile(r"""\[\s*["']?tool["']?\s*(\.\s*["']?plan\b|\])|^\s*tool\s*\.""", re.MULTILINE)
FILE_NAMES = ("job.py", "job.yaml", "job.yml")


def find_job(argument: str | None) -> str:
    """The job as `load_job` takes it: what was given, else `[tool.plan] job`, else the only job file here."""
    if argument is not None:
        return argument
    configured = _configured()
    if configured is not None:
        return configured
    here = [name for name in FILE_NAMES if Path(name).is_file()]
    if len(here) == 1:
        return here[0]
    if here:
        raise OptionError(
            f"there are several jobs here: {' and '.join(here)}", hint=f"name one, for example: {here[0]}"
        )
    raise OptionError(
        "no job was given, and there is no job.py, job.yaml or job.yml here",
        hint='name a file, or set job = "path/to/job.py" under [tool.plan] in pyproject.toml',
    )


def load(argument: str | None, options: LoadOptions) -> JobDefinition:
    """The job definition that a command's JOB argument means."""
    from planner.frontends.loading import load_job

    job = load_job(find_job(argument), options)
    tell_compiler(job)
    return job


def load_plan(
    argument: str | None, options: LoadOptions, *, until: Stage, flink: str | None, beside: Sequence[str] = ()
) -> Plan:
    """The plan of the job that an argument means; Flink's exports give one with unknowns, completed by `beside`."""
    spec = find_job(argument)
    if beside or is_export(spec):
        from planner.observed.loading import load_export  # most jobs are compiled here

        refuse_for_exports(spec, **{"--flink": flink})
        return load_export(spec, *beside)
    from planner.pipeline import plan

    definition = load(spec, options)
    return plan(definition, until=until, flink=flink_for(flink, definition))


def refuse_stage(argument: str, compiled: Plan, stage: str) -> None:
    """Refuse a stage that Flink's exports do not have."""
    if compiled.observed is not None and stage not in ("stream", "job", "all"):
        raise OptionError(
            f"{argument} is what Flink says about a job, and has no {stage} graph",
            hint="use --stage stream or --stage job; plan explain --live has the running subtasks",
        )


def tell_compiler(job: JobDefinition) -> None:
    """Say on stderr which Flink compiled a job, and what to know about that."""
    if job.compiled is not None and job.location.file.lower().endswith((*COMPILED, ".py")):
        console.message(f"compiled by Flink {job.flink}", "dim")
        for note in job.notes:
            console.message(f"note: {note}", "dim")


def is_savepoint(argument: str | None) -> bool:
    """Whether an argument names a savepoint, and not a job."""
    if argument is None or argument.endswith(".json") or names_job_file(argument):
        return False  # most calls, which need nothing of savepoints
    from planner.savepoints.files import is_savepoint as begins_as_savepoint

    return begins_as_savepoint(argument)


def is_export(argument: str) -> bool:
    """Whether an argument is one of Flink's exports: an address, stdin, a saved folder, a plan in JSON or text."""
    if names_job_file(argument):
        return False
    from planner.observed.loading import is_export as looks_like_export

    return looks_like_export(argument)


def refuse_for_exports(argument: str, **options: object) -> None:
    """Refuse options that need the job itself: Flink's exports cannot be compiled again."""
    for option, value in options.items():
        if value and names_job_file(argument):
            raise OptionError(
                f"{option} needs a job that is compiled here, and {argument} is compiled by Flink itself",
                hint="try the change in the file",
            )
        if value:
            raise OptionError(
                f"{option} needs a job file, and {argument} is what Flink says about a job",
                hint="write the job in Python or YAML to try changes on it",
            )


def load_contents(argument: str) -> SavepointContents:
    """What is in the savepoint that an argument names."""
    from planner.savepoints.contents import describe_savepoint
    from planner.savepoints.files import load_savepoint

    return describe_savepoint(load_savepoint(argument))


def tell_notes(job: JobDefinition) -> None:
    """Say what a reader of the job's plan should know, such as why it is for an older version."""
    if job.compiled is None:  # else tell_compiler() has said them
        for note in job.notes:
            console.message(note)


def flink_for(written: str | None, job: JobDefinition) -> FlinkProfile:
    """The version of Flink to plan a job for. What is to be known of that choice is said."""
    from planner.flink.differences import flink
    from planner.flink.versions import version_for

    tell_notes(job)
    config = nearest_config()
    configured = None if config is None else config.for_job(job.name, job.location.file).flink
    return flink(version_for(job, asked=written, configured=configured))


def explain_here(compiled: Plan) -> Explanation:
    """The explanation of a plan, with the network buffers of the configured cluster."""
    from planner.explanation.explain import explain_plan

    buffers: Any = cluster_buffers(compiled)
    return explain_plan(compiled, **buffers)


def cluster_buffers(compiled: Plan) -> dict[str, int]:
    """The cluster's buffer settings, where a pyproject.toml has some."""
    config = nearest_config()
    if config is None:
        return {}
    cluster = config.for_job(compiled.job.name, compiled.job.location.file).cluster
    return {"buffers_per_channel": cluster.buffers_per_channel, "floating_buffers": cluster.floating_buffers_per_gate}


def nearest_config() -> Config | None:
    """The settings of the nearest pyproject.toml, or None where it has none. It is read once per command."""
    return _config_at(Path.cwd())


def forget_config() -> None:
    """A command begins: what an earlier command of this process read may have changed."""
    _config_at.cache_clear()


@cache
def _config_at(here: Path) -> Config | None:
    file = next((f for folder in (here, *here.parents) if (f := folder / "pyproject.toml").is_file()), None)
    # Most have none, and need neither the parser nor the settings' types.
    if file is None or not _MAY_CONFIGURE.search(file.read_text(encoding="utf-8", errors="replace")):
        return None
    from planner.settings.pyproject import load_config

    return load_config()


def _configured() -> str | None:
    config = nearest_config()
    if config is None or config.job is None:
        return None
    file, name = split_name(config.job)
    path = config.folder / file
    if not path.is_file():
        raise OptionError(
            f"[tool.plan] job in {config.file} names {config.job}, which does not exist",
            hint="correct it, or name a job on the command line",
        )
    return _shown(path) if name is None else f"{_shown(path)}:{name}"


def _shown(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
