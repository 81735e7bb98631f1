"""The four stages as text, one function per stage, in a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from cli.render.folding import Run, fold_consumed, fold_groups, span
from cli.render.names import vertex_labels, vertex_names
from cli.render.styled import Line, Span, indented, line, table
from cli.render.words import count, max_parallelism_words, parallelism_words
from planner.graphs.execution_graph import ExecutionEdge
from planner.graphs.job_graph import JobEdge, JobGraph
from planner.pipeline import Plan, Stage

if TYPE_CHECKING:
    from planner.observed.judgement import Judgement, Observation

__all__ = ["STAGE_LINES", "stage_lines"]

MOST_RUNS = 12  # lines for one edge, or for all slots, before the rest is counted
UNDECIDED = "batch mode decides the missing parallelisms at run time: there is no such stage before that"


def stage_lines(plan: Plan, stages: Sequence[Stage]) -> list[Line]:
    """The stages one below the other, under the job's name."""
    origin = [(f"  {plan.observed.job.origin}", "dim")] if plan.observed else []
    lines = [line((plan.stream_graph.name, "title"), *origin)]
    for stage in stages:
        lines += [(), *STAGE_LINES[stage](plan)]
    return lines


def _stream(plan: Plan) -> list[Line]:
    graph = plan.stream_graph
    title = f" ({count(len(graph.nodes), 'node')}, {count(len(graph.edges), 'edge')})"
    if plan.observed is not None:
        return _observed_stream(plan, plan.observed, title)
    nodes: list[Sequence[str | Span]] = [
        tuple((word, "dim") for word in ("id", "name", "parallelism", "max", "group", "strategy", "operator id", ""))
    ]
    for node in graph.nodes:
        shown = str(node.parallelism) if node.parallelism > 0 else "?"
        nodes.append(
            (
                str(node.id), (node.name, "operator"), shown, max_parallelism_words(node.max_parallelism),
                node.slot_sharing_group, node.chaining_strategy, (plan.operator_ids[node.id], "dim"),
                (str(node.operator.location), "place"),
            )
        )  # fmt: skip
    edges: list[Sequence[str | Span]] = []
    for edge, obstacles in zip(graph.edges, plan.obstacles, strict=True):
        verdict: Span = ("not chained: " + " ".join(o.code for o in obstacles), "broken")
        details = [f"input {edge.type_number}"] if edge.type_number else []
        details += [f"side output {edge.side_output}"] if edge.side_output is not None else []
        details += [edge.exchange_mode.lower()] if edge.exchange_mode != "UNDEFINED" else []
        edges.append(
            (
                f"{edge.source} -> {edge.target}", (edge.partitioner, "code"),
                verdict if obstacles else ("chained", "chained"), (", ".join(details), "dim"),
            )
        )  # fmt: skip
    return [
        line(("Stream graph", "title"), (title, "dim")),
        *indented(table(nodes, right=(0, 2, 3))),
        *([()] if edges else []),
        *indented(table(edges)),
    ]


def _observed_stream(plan: Plan, seen: Observation, title: str) -> list[Line]:
    """The stream graph of a job that Flink described: only the columns that it tells."""
    nodes: list[Sequence[str | Span]] = [tuple((word, "dim") for word in ("id", "name", "parallelism", "operator id"))]
    names = {node.id: node.name for node in plan.stream_graph.nodes}
    for node in plan.stream_graph.nodes:
        shown = str(node.parallelism) if node.parallelism > 0 else "?"
        told = plan.operator_ids.get(node.id, "not proven")
        nodes.append((seen.id_of(node.id), (node.name, "operator"), shown, (told, "dim")))
    edges: list[Sequence[str | Span]] = []
    for position, judgement in enumerate(seen.judgements):
        edge, sources = plan.stream_graph.edges[position], seen.sources_of(position)
        first = names[sources[0]]
        source = first if len(sources) == 1 else f"one of the chain of {first} ({len(sources)} operators)"
        ends = f"{source} -> {names[edge.target]}"
        edges.append((ends, (seen.job.edges[position].ship, "code"), judgement.certainty, _short(judgement)))
    head = line(("Stream graph", "title"), (title, "dim"))
    return [head, *indented(table(nodes, right=(2,))), *([()] if edges else []), *indented(table(edges))]


def _short(judgement: Judgement) -> Span:
    if judgement.chained is None:
        return ("chained or not", "needed")
    if judgement.chained:
        return ("chained", "chained")
    codes = " ".join(judgement.reasons) or f"one of {' '.join(judgement.possible)}"
    return (f"not chained: {codes}", "broken")


def _job(plan: Plan) -> list[Line]:
    graph = plan.job_graph
    assert graph is not None
    vertices = "1 vertex" if len(graph.vertices) == 1 else f"{len(graph.vertices)} vertices"
    seen = plan.observed
    expected = ", expected" if seen is not None and not seen.job.deployed else ""
    title = f" ({vertices}, {count(len(graph.edges), 'edge')}{expected})"
    lines = [line(("Job graph", "title"), (title, "dim"))]
    for position, vertex in enumerate(graph.vertices):
        facts = [parallelism_words(vertex.parallelism)]
        if seen is None or vertex.max_parallelism > 0:
            facts.append(f"max {max_parallelism_words(vertex.max_parallelism)}")
        facts += [f"group {vertex.slot_sharing_group}"] if seen is None or seen.knows_groups else []
        facts += ["co-located"] if vertex.co_location_group else []
        lines.append(line(f"  {position + 1}. ", (vertex.name, "operator")))
        lines.append(line(f"     {', '.join(facts)}{', ' if vertex.id else ''}", (vertex.id, "dim")))
    shared = _shared(graph)
    rows: list[Sequence[str | Span]] = [
        (
            f"{edge.source + 1} -> {edge.target + 1}",
            *_exchange(plan, edge),
            (f"input {edge.type_number}" if edge.type_number else "", "dim"),
            (shared.get(number, ""), "dim"),
        )
        for number, edge in enumerate(graph.edges)
    ]
    return [*lines, *([()] if rows else []), *indented(table(rows))]


def _exchange(plan: Plan, edge: JobEdge) -> tuple[str | Span, ...]:
    """How an edge ships records; of a job that Flink described in its own words, as far as it is deployed."""
    if plan.observed is None:
        return ((edge.ship_strategy, "code"), edge.distribution, (edge.result_type, "dim"))
    told = plan.observed.job.edges[edge.stream_edge]
    return ((told.shipped or told.ship, "code"), edge.distribution, ((told.exchange or "").upper(), "dim"))


def _shared(graph: JobGraph) -> dict[int, str]:
    """By edge, in words, the first edge that reads the same intermediate data set."""
    first: dict[int, int] = {}
    for number, edge in enumerate(graph.edges):
        first.setdefault(edge.data_set, number)
    owners = {number: graph.edges[first[edge.data_set]] for number, edge in enumerate(graph.edges)}
    return {
        number: f"reads the data set of {owner.source + 1} -> {owner.target + 1}"
        for number, owner in owners.items()
        if owner is not graph.edges[number]
    }


def _execution(plan: Plan) -> list[Line]:
    graph, job_graph = plan.execution_graph, plan.job_graph
    if graph is None or job_graph is None:
        return [line(("Execution graph", "title"), f": {UNDECIDED}")]
    subtasks = count(graph.execution_vertices, "subtask")
    title = f" ({subtasks}, {count(graph.execution_edges, 'channel')}, {count(graph.required_slots, 'slot')}, "
    title += f"{count(graph.pipelined_regions, 'pipelined region')})"
    rows: list[Sequence[str | Span]] = [
        (f"{position + 1}.", (vertex.name, "operator"), f"subtasks {span(0, graph.parallelisms[position] - 1)}")
        for position, vertex in enumerate(job_graph.vertices)
    ]
    lines = [line(("Execution graph", "title"), (title, "dim")), *indented(table(rows, right=(0,)))]
    if graph.edges:
        lines.append(())
    for edge in graph.edges:
        lines += indented(_wiring(plan, edge))
    return lines


def _wiring(plan: Plan, edge: ExecutionEdge) -> list[Line]:
    assert plan.job_graph is not None
    strategy = plan.job_graph.edges[edge.job_edge].ship_strategy
    head = line(
        f"{edge.source + 1} -> {edge.target + 1}  ", (strategy, "code"), f" {edge.distribution}, ",
        count(edge.channels, "channel"),
    )  # fmt: skip
    return [head, *indented(_runs(fold_consumed(edge.consumed), "consumer"))]


def _physical(plan: Plan) -> list[Line]:
    physical, job_graph = plan.physical, plan.job_graph
    if physical is None or job_graph is None:
        return [line(("Physical", "title"), f": {UNDECIDED}")]
    names = vertex_labels(plan)
    slots, regions = physical.slots, physical.failover_regions
    figures = f"{count(len(slots), 'slot')}, {count(len(regions), 'failover region')}"
    return [
        line(("Physical", "title"), (f" ({figures})", "dim")),
        *indented(_legend(plan, names)),
        line("  subtasks that share a slot"),
        *indented(_runs(fold_groups(slots, names), "slot"), 4),
        line("  subtasks that restart together"),
        *indented(_runs(fold_groups(regions, names), "region"), 4),
    ]


def _legend(plan: Plan, labels: Sequence[str]) -> list[Line]:
    """What the labels mean, where they are not the names themselves."""
    names = vertex_names(plan)
    return table([(label, (name, "operator")) for label, name in zip(labels, names, strict=True) if label != name])


def _runs(runs: Sequence[Run], noun: str) -> list[Line]:
    shown = runs if len(runs) <= MOST_RUNS + 1 else runs[:MOST_RUNS]
    rows: list[Sequence[str | Span]] = [
        (f"{noun}{'' if run.length == 1 else 's'} {span(run.first, run.last)}:", run.text) for run in shown
    ]
    rest = sum(run.length for run in runs[len(shown) :])
    return [*table(rows, gap=1), *([line((f"... and {count(rest, noun)} more", "dim"))] if rest else [])]


STAGE_LINES: dict[Stage, Callable[[Plan], list[Line]]] = {
    "stream": _stream,
    "job": _job,
    "execution": _execution,
    "physical": _physical,
}
