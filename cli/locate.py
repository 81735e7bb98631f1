"""Which job a command means, and loading it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from planner.errors import OptionError
from planner.frontends.job_files import names_job_file, split_name

if TYPE_CHECKING:
    from planner.explanation.explain import Explanation
    from planner.flink.profile import FlinkProfile
    from planner.frontends.loading import LoadOptions
    from planner.job import JobDefinition
    from planner.pipeline import Plan
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

    return load_job(find_job(argument), options)


def is_savepoint(argument: str | None) -> bool:
    """Whether an argument names a savepoint, and not a job."""
    if argument is None or argument.endswith(".json") or names_job_file(argument):
        return False  # most calls, which need nothing of savepoints
    from planner.savepoints.files import is_savepoint as begins_as_savepoint

    return begins_as_savepoint(argument)


def load_contents(argument: str) -> SavepointContents:
    """What is in the savepoint that an argument names."""
    from planner.savepoints.contents import describe_savepoint
    from planner.savepoints.files import load_savepoint

    return describe_savepoint(load_savepoint(argument))


def flink_for(written: str | None, job: JobDefinition) -> FlinkProfile:
    """The version of Flink to plan a job for: given, or that compiled it, or of `[tool.plan]`; else the newest."""
    from planner.flink.registry import flink

    written = written or job.flink
    if written is None and (config := nearest_config()) is not None:
        written = config.for_job(job.name, job.location.file).flink
    return flink(written)


def explain_here(compiled: Plan) -> Explanation:
    """The explanation of a plan, with the network buffers of the configured cluster."""
    from planner.explanation.explain import explain_plan

    return explain_plan(compiled, **cluster_buffers(compiled))


def cluster_buffers(compiled: Plan) -> dict[str, int]:
    """The cluster's buffer settings, where a pyproject.toml has some."""
    config = nearest_config()
    if config is None:
        return {}
    cluster = config.for_job(compiled.job.name, compiled.job.location.file).cluster
    return {"buffers_per_channel": cluster.buffers_per_channel, "floating_buffers": cluster.floating_buffers_per_gate}


def nearest_config() -> Config | None:
    """The settings of the nearest pyproject.toml, or None where it has none."""
    here = Path.cwd()
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
