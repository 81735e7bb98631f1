"""`plan order`: the topological source-first order of the job vertices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from cli import console, locate
from cli.compiler_options import NO_OPTIONS, CompilerOptions
from cli.load_options import ApiOption, ParallelismOption, load_options
from cli.options import FlinkOption, FormatOption, JobArgument
from cli.render.text.order import order_lines
from planner.explanation.order import OrderedVertex, explain_order
from planner.pipeline import Plan

EXPECTED = "expected chains: nothing was deployed yet"


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
    compiled = locate.load_plan(job, options, until="job", flink=flink)
    assert compiled.job_graph is not None
    placements = explain_order(compiled.job_graph, compiled=compiled.observed is None)
    name = compiled.stream_graph.name
    if format == "json":
        console.write_json(_document(compiled, placements))
    else:
        console.write_lines(order_lines(name, placements, EXPECTED if _is_expected(compiled) else ""))


def _is_expected(compiled: Plan) -> bool:
    return compiled.observed is not None and not compiled.observed.job.deployed


def _document(compiled: Plan, placements: Sequence[OrderedVertex]) -> dict[str, Any]:
    order = [placement.to_dict() for placement in placements]
    name, graph = compiled.stream_graph.name, compiled.job_graph
    if compiled.observed is None or graph is None:
        return {"name": name, "order": order}
    nodes = compiled.stream_graph.by_id
    members = ((*vertex.chained_sources, *vertex.nodes) for vertex in graph.vertices)
    placed = [
        {**entry, "id": entry["id"] or None, "operators": [nodes[node].name for node in own]}
        for entry, own in zip(order, members, strict=True)
    ]
    return {
        "name": name,
        "origin": compiled.observed.job.origin,
        "expected": _is_expected(compiled),
        "order": placed,
    }
