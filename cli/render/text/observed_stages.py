"""The stream graph and the job graph of an observed job as text, and the order of its chains."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.styled import Line, Span, indented, line, table
from cli.render.text.observed import source_words
from cli.render.words import count, parallelism_words
from planner.observed.chains import ObservedChain
from planner.observed.job import ObservedJob
from planner.observed.verdicts import Verdict


def stream_lines(job: ObservedJob, verdicts: Sequence[Verdict]) -> list[Line]:
    """Every operator and every edge; what the exports do not say is not shown."""
    title = f" ({count(len(job.operators), 'node')}, {count(len(job.edges), 'edge')})"
    nodes: list[Sequence[str | Span]] = [tuple((word, "dim") for word in ("id", "name", "parallelism", "operator id"))]
    nodes += [
        (str(one.id), (one.name, "operator"), _number(one.parallelism), (one.operator_id or "not proven", "dim"))
        for one in job.operators
    ]
    edges: list[Sequence[str | Span]] = [
        (
            f"{source_words(job, edge)} -> {job.operators[edge.target].name}", (edge.ship, "code"), verdict.certainty,
            _verdict(verdict),
        )
        for edge, verdict in zip(job.edges, verdicts, strict=True)
    ]  # fmt: skip
    parts = [line(("Stream graph", "title"), (title, "dim")), *indented(table(nodes, right=(2,)))]
    return [*parts, *([()] if edges else []), *indented(table(edges))]


def job_lines(job: ObservedJob, chains: Sequence[ObservedChain]) -> list[Line]:
    """Every vertex and every exchange."""
    expected = "" if job.deployed else ", expected"
    lines = [line(("Job graph", "title"), (f" ({count(len(chains), 'chain')}{expected})", "dim"))]
    for number, chain in enumerate(chains, start=1):
        names = " -> ".join(job.operators[one].name for one in chain.members)
        lines.append(line(f"  {number}. ", (names, "operator")))
        lines.append(line(f"     {parallelism_words(chain.parallelism)}", (f", {chain.id}" if chain.id else "", "dim")))
    place = {one: number for number, chain in enumerate(chains, start=1) for one in chain.members}
    rows: list[Sequence[str | Span]] = [
        (
            f"{place[edge.sources[0]]} -> {place[edge.target]}",
            (edge.shipped or edge.ship, "code"),
            (edge.exchange or "", "dim"),
        )
        for edge in job.edges
        if place[edge.sources[0]] != place[edge.target]
    ]
    return [*lines, *([()] if rows else []), *indented(table(rows))]


def order_lines(job: ObservedJob, chains: Sequence[ObservedChain]) -> list[Line]:
    """The chains behind their inputs, each with why it stands there."""
    what = "" if job.deployed else "  expected chains: nothing was deployed yet"
    rows: list[Sequence[str | Span]] = [
        (f"{number}.", (job.operators[chain.members[0]].name, "operator"), (place_words(chain), "dim"))
        for number, chain in enumerate(chains, start=1)
    ]
    return [line((job.name, "title"), (what, "dim")), (), *indented(table(rows, right=(0,)))]


def place_words(chain: ObservedChain) -> str:
    """Why a chain stands where it does."""
    if not chain.inputs:
        return "a source: nothing is in front of it"
    return "behind " + ", ".join(str(one + 1) for one in chain.inputs)


def _number(parallelism: int) -> str:
    return str(parallelism) if parallelism > 0 else "?"


def _verdict(verdict: Verdict) -> Span:
    if verdict.chained is None:
        return ("chained or not", "needed")
    if verdict.chained:
        return ("chained", "chained")
    codes = " ".join(verdict.reasons) or f"one of {' '.join(verdict.possible)}"
    return (f"not chained: {codes}", "broken")
