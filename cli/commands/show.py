"""`plan show`: the stages themselves."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from cli import console, locate
from cli.options import FormatOption, JobArgument, StageName
from cli.render.stage_text import stage_lines
from planner.pipeline import STAGES, Plan, Stage
from planner.pipeline import plan as compile_plan

KEYS: dict[Stage, str] = {
    "stream": "stream_graph",
    "job": "job_graph",
    "execution": "execution_graph",
    "physical": "physical",
}


def show(
    job: JobArgument = None,
    stage: Annotated[StageName, typer.Option(help="Which of Flink's graphs to print.")] = "all",
    format: FormatOption = "text",
) -> None:
    """Print a stage of the plan: stream graph, job graph, execution graph or physical deployment.

    Examples:
      plan show job.yaml --stage job
      plan show job.py --stage execution
      plan show job.yaml --stage all --format json
    """
    stages: tuple[Stage, ...] = STAGES if stage == "all" else (stage,)
    compiled = compile_plan(locate.load(job), until=stages[-1])
    if format == "json":
        console.write_json(_document(compiled, stages))
    else:
        console.write_lines(stage_lines(compiled, stages))


def _document(compiled: Plan, stages: tuple[Stage, ...]) -> dict[str, Any]:
    """The whole plan as documented, or its name and one stage."""
    document = compiled.to_dict()
    return document if stages == STAGES else {"name": document["name"], **{KEYS[s]: document[KEYS[s]] for s in stages}}
