"""`plan explain`: why every edge did or did not chain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cli import console
from cli.compiler_options import NO_OPTIONS, CompilerOptions
from cli.load_options import ApiOption, ParallelismOption, load_options
from cli.locate import explain_here, find_job, load_plan, refuse_for_exports
from cli.options import FlinkOption, JobArgument, ReportFormatOption
from cli.render.text.explanation import edge_lines, explanation_lines
from planner.chaining.evaluation import check_conditions
from planner.errors import OptionError
from planner.explanation.edges import EdgeExplanation
from planner.explanation.explain import Explanation, explain_plan
from planner.operators import describe_written, merged_keys
from planner.pipeline import Plan
from planner.pipeline import plan as compile_plan

if TYPE_CHECKING:
    from cli.render.styled import Line
    from planner.explanation.python_pairs import CheckedPair
    from planner.frontends.flink_export.live import LiveFigures


def explain(
    context: typer.Context,
    job: JobArgument = None,
    edge: Annotated[
        str | None,
        typer.Option(metavar="A:B", help="One edge, with all twelve conditions. A, B: key, name, uid or node id."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="OP.ATTRIBUTE=VALUE", help="Recompile with this change and show what it does."),
    ] = None,
    only: Annotated[
        Literal["broken"] | None,
        typer.Option(help="Only the edges that a change of the job would chain.", show_default=False),
    ] = None,
    job_plan: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="With a stream plan of Flink: the job plan (GET /jobs/ID/plan) beside it."),
    ] = None,
    stream_plan: Annotated[
        str | None,
        typer.Option(
            "--plan", metavar="FILE", help="With a running job: its stream plan (getExecutionPlan) beside it."
        ),
    ] = None,
    live: Annotated[
        bool, typer.Option("--live", help="With a running job: how busy each vertex is, and where records pile up.")
    ] = False,
    format: ReportFormatOption = "text",
    flink: FlinkOption = None,
    api: ApiOption = None,
    parallelism: ParallelismOption = None,
    compiler: CompilerOptions = NO_OPTIONS,
) -> None:
    """Explain why every edge did or did not chain, and what would chain it.

    First the chains: what runs together as one task. Then every edge between them with its obstacles, the place in the
    job's file and the smallest change that would chain it. Then a summary: tasks, channels, slots, network buffers.

    --set takes any attribute of an operator (parallelism, max_parallelism, slot_sharing_group, chaining, uid, name,
    buffer_timeout, partition, ...) or of the job (job.parallelism, job.chaining, ...), and may be repeated.

    JOB may also be what Flink itself says about any job, in Java, SQL or Python: a stream plan (getExecutionPlan, flink
    info, EXPLAIN), a job plan, http://HOST:8081/jobs/ID, or a folder of plan save. Every answer is then certain, one of
    several, or expected. See docs/flink-exports.md.

    Examples:
      plan explain job.yaml
      plan explain job.yaml --edge map:sink
      plan explain job.py --set map.parallelism=4 --set job.chaining=true
      plan explain job.py --only broken --format json
      plan explain job.py --format markdown >> "$GITHUB_STEP_SUMMARY"
      plan explain pyflink_job.py -p 4 -- --input data.txt
      plan explain streamplan.json --job-plan jobplan.json
      plan explain http://localhost:8081 --live
    """
    spec = find_job(job)
    options = load_options(context.obj, api=api, parallelism=parallelism, flink=flink, compiler=compiler)
    beside = [one for one in (job_plan, stream_plan) if one is not None]
    compiled = load_plan(spec, options, until="execution", flink=flink, beside=beside)
    explanation = explain_here(compiled)
    if compiled.job.compiled is not None:
        refuse_for_exports(spec, **{"--set": settings})
    if live and edge is not None:
        raise OptionError("--live shows the whole job, and --edge one edge", hint="leave one of them out")
    figures = _live(spec) if live else None
    if settings:
        _what_if(spec, compiled, explanation, settings, edge, only is not None, format)
    elif edge is not None:
        _one_edge(compiled, explanation, edge, format)
    elif format == "json":
        document = explanation.to_dict(only_broken=only is not None)
        if figures is not None and compiled.observed is not None:
            from planner.observed.document import live_document

            document["live"] = live_document(compiled.observed.job, figures)
        console.write_json(document)
    elif format == "markdown":
        from cli.render.markdown.explanation import explanation_markdown

        lines = _live_lines(compiled, figures) if figures is not None else []
        console.write_text(explanation_markdown(compiled, explanation, only_broken=only is not None, live=lines))
    else:
        tried = spec if compiled.job.compiled is None else None  # nothing can be tried on a graph of Flink
        console.write_lines(explanation_lines(explanation, spec=tried, only_broken=only is not None))
        if figures is not None:
            console.write_lines([(), *_live_lines(compiled, figures)])


def _live(spec: str) -> LiveFigures:
    from planner.frontends.flink_export.live import read_live
    from planner.observed.loading import answering

    return read_live(answering(spec))


def _live_lines(compiled: Plan, figures: LiveFigures) -> list[Line]:
    from cli.render.text.live import live_lines

    assert compiled.observed is not None
    return live_lines(compiled.observed.job, figures)


def _one_edge(compiled: Plan, explanation: Explanation, wanted: str, format: str) -> None:
    from planner.explanation.selection import select_edges

    pairs = _pairs(compiled, wanted)
    apart = {pair.nodes for pair in pairs}
    chosen = (
        [edge for edge in explanation.edges if (edge.source.node, edge.target.node) in apart]
        if pairs
        else select_edges(explanation.edges, wanted)
    )
    checked: list[tuple[EdgeExplanation, Any]] = [(edge, check_conditions(compiled, edge.position)) for edge in chosen]
    if format == "json":
        edges = [
            {**explanation.edge_to_dict(edge), "conditions": [c.to_dict() for c in conditions]}
            for edge, conditions in checked
        ]
        document = {"name": explanation.name, "edges": edges}
        console.write_json({**document, "pairs": [pair.to_dict() for pair in pairs]} if pairs else document)
        return
    blocks = [*_pair_blocks(pairs), *(edge_lines(edge, conditions) for edge, conditions in checked)]
    _write(
        explanation.name,
        [spans for number, block in enumerate(blocks) for spans in ([()] * bool(number) + block)],
        format,
    )


def _write(title: str, lines: list[Line], format: str) -> None:
    if format == "markdown":
        from cli.render.markdown.explanation import lines_markdown

        console.write_text(lines_markdown(title, lines))
    else:
        console.write_lines(lines)


def _pairs(compiled: Plan, wanted: str) -> list[CheckedPair]:
    """PyFlink's merge conditions, where both operators are Python operators next to each other."""
    if compiled.merging is None:
        return []
    from planner.explanation.python_pairs import select_pairs

    return select_pairs(compiled, wanted)


def _pair_blocks(pairs: list[CheckedPair]) -> list[list[Line]]:
    if not pairs:
        return []
    from cli.render.text.python_layer import merge_conditions_lines

    return [merge_conditions_lines(pair.upstream, pair.downstream, pair.conditions, pair.merged) for pair in pairs]


def _what_if(
    spec: str,
    compiled: Plan,
    before: Explanation,
    settings: list[str],
    edge: str | None,
    only_broken: bool,
    format: str,
) -> None:
    from cli.render.text.what_if import what_if_lines
    from planner.explanation.settings import apply_settings
    from planner.explanation.what_if import compare

    changed = apply_settings(compiled.written, describe_written(compiled), settings, merged_keys(compiled))
    recompiled = compile_plan(changed, until="execution", flink=compiled.flink)
    after = explain_plan(
        recompiled, buffers_per_channel=before.buffers_per_channel, floating_buffers=before.floating_buffers
    )
    if edge is not None:
        _one_edge(recompiled, after, edge, format)
        return
    difference = compare(settings, before, after)
    if format == "json":
        console.write_json({**after.to_dict(only_broken=only_broken), "what_if": difference.to_dict()})
    else:
        _write(after.name, what_if_lines(difference, spec=spec), format)
