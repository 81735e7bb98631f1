"""`plan explain` for a stream plan, a job plan, a saved folder or a running job."""

from __future__ import annotations

from cli import console
from cli.render.text.live import live_lines
from cli.render.text.observed import edge_lines, observed_lines
from planner.errors import OptionError
from planner.frontends.flink_export.live import read_live
from planner.observed.document import edge_document, explanation_document, live_document
from planner.observed.job import ObservedEdge, ObservedJob
from planner.observed.loading import answering, load_observed
from planner.observed.verdicts import decide


def explain_export(
    argument: str, *, others: list[str], edge: str | None, only_broken: bool, live: bool, format: str
) -> None:
    """Explain a job that Flink described."""
    job = load_observed(argument, *others)
    verdicts = decide(job)
    if edge is not None:
        chosen = select_edges(job, edge)
        if format == "json":
            edges = [edge_document(job, job.edges[one], verdicts[one]) for one in chosen]
            console.write_json({"name": job.name, "edges": edges})
            return
        for number, one in enumerate(chosen):
            console.write_lines([*([()] if number else []), *edge_lines(job, one, verdicts[one])])
        return
    figures = read_live(answering(argument)) if live else None
    if format == "json":
        document = explanation_document(job, verdicts, only_broken=only_broken)
        console.write_json(document if figures is None else {**document, "live": live_document(job, figures)})
        return
    lines = observed_lines(job, verdicts, only_broken=only_broken)
    console.write_lines(lines if figures is None else [*lines, (), *live_lines(job, figures)])


def select_edges(job: ObservedJob, wanted: str) -> list[int]:
    """The edges that `A:B` means; A and B are operators' ids or names. Names may hold colons themselves."""
    found = [
        position
        for position, edge in enumerate(job.edges)
        if any(_ends(job, edge, wanted[:at], wanted[at + 1 :]) for at, letter in enumerate(wanted) if letter == ":")
    ]
    if found:
        return found
    listed = ", ".join(f"{job.operators[e.sources[0]].id}:{job.operators[e.target].id}" for e in job.edges[:8])
    raise OptionError(
        f"there is no edge {wanted!r}", hint=f"the edges are {listed}{' ...' if len(job.edges) > 8 else ''}"
    )


def _ends(job: ObservedJob, edge: ObservedEdge, source: str, target: str) -> bool:
    fits = [job.operators[one] for one in edge.sources]
    last = job.operators[edge.target]
    return target in (str(last.id), last.name) and any(source in (str(one.id), one.name) for one in fits)
