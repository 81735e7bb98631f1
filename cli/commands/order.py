"""`plan order`: the topological source-first order of the job vertices."""

from __future__ import annotations

import typer

from cli import console, locate
from cli.compiler_options import NO_OPTIONS, CompilerOptions
from cli.load_options import ApiOption, ParallelismOption, load_options
from cli.locate import is_export
from cli.options import FlinkOption, FormatOption, JobArgument
from cli.render.text.order import order_lines
from planner.explanation.order import explain_order
from planner.pipeline import plan as compile_plan


def order(
    context: typer.Context,
    job: JobArgument = None,
    format: FormatOption = "text",
    flink: FlinkOption = None,
    api: ApiOption = None,
    parallelism: ParallelismOption = None,
    compiler: CompilerOptions = NO_OPTIONS,
) -> None:
    """Print the job vertices in topological source-first order, and why each is where it is.

    Examples:
      plan order job.yaml
      plan order job.py --format json
    """
    options = load_options(context.obj, api=api, parallelism=parallelism, flink=flink, compiler=compiler)
    if job is not None and is_export(job):
        from cli.exports import order_export

        order_export(job, format=format)
        return
    definition = locate.load(job, options)
    compiled = compile_plan(definition, until="job", flink=locate.flink_for(flink, definition))
    assert compiled.job_graph is not None
    placements = explain_order(compiled.job_graph)
    name = compiled.stream_graph.name
    if format == "json":
        console.write_json({"name": name, "order": [placement.to_dict() for placement in placements]})
    else:
        console.write_lines(order_lines(name, placements))
