"""`plan explain` as Markdown: figures, the edges between chains with their reasons, the graph, the chains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from cli.render.markdown.document import Section, block, code, details, document, table, tables, text
from cli.render.markdown.graph import job_diagram
from cli.render.styled import Line, plain
from cli.render.text.explanation import FIXED, NEEDED, REPEATED, hidden_lines
from cli.render.text.python_layer import python_layer_lines
from cli.render.words import count, parallelism_words
from planner.explanation.chains import ChainExplanation
from planner.explanation.edges import EdgeExplanation
from planner.explanation.explain import Explanation
from planner.pipeline import Plan

__all__ = ["explanation_markdown", "lines_markdown"]

_SIGNS = {"broken": "🔴 a change would chain it", "needed": "🔵 needed", "fixed": "⚪ fixed by Flink"}


def explanation_markdown(
    plan: Plan, explanation: Explanation, *, only_broken: bool = False, live: Sequence[Line] = ()
) -> str:
    """The whole answer; with `only_broken` just the edges that a change of the job would chain."""
    edges = [edge for edge in explanation.shown if not only_broken or edge.verdict in ("broken", "open")]
    sections = [Section(_head(explanation)), *_edges(explanation, edges, only_broken)]
    if explanation.observed is not None and (hidden := hidden_lines(explanation.observed)):
        sections.append(Section("", block(plain(hidden)), "what the plan does not show"))
    if live:
        sections.append(Section("", details("live figures", block(plain(live)), open_it=True), "live figures"))
    if not only_broken:
        sections.append(
            Section("", details("the job graph", job_diagram(plan, explanation), open_it=True), "the graph")
        )
        sections += _chains(explanation)
        if explanation.python is not None:
            layer = block(plain(python_layer_lines(explanation.python)))
            sections.append(Section("", details("what PyFlink merged", layer), "what PyFlink merged"))
    return document(sections)


def lines_markdown(title: str, lines: Iterable[Line]) -> str:
    """An answer that is read as text, such as the conditions of one edge, under a heading."""
    return document([Section(f"### plan: {code(title)}"), Section("", block(plain(lines)), "the answer")])


def _head(explanation: Explanation) -> str:
    figures = explanation.summary
    names = ("operators", "chains", "tasks", "slots", "channels", "network buffers")
    values = (figures.operators, figures.chains, figures.tasks, figures.slots, figures.channels, figures.buffers_wanted)
    row = ["?" if value is None else str(value) for value in values]
    words = f"{figures.chained_edges} of {count(figures.edges, 'edge')} chained"
    if explanation.observed is not None:
        words = f"{explanation.observed.job.origin}: {words}; what Flink does not tell is marked with a question mark"
    return f"### plan: {code(explanation.name)}\n\n{words}.\n\n{table(names, [row], right=range(len(names)))}"


def _edges(explanation: Explanation, edges: Sequence[EdgeExplanation], only_broken: bool) -> Iterator[Section]:
    if not edges:
        what = "No edge that a change would chain" if only_broken else "Nothing crosses the network"
        yield Section(f"{what}.")
        return
    title = "Edges that a change would chain" if only_broken else "Edges between chains"
    yield Section(f"#### {title} ({len(edges)} of {len(explanation.edges)})")
    heads: tuple[str, ...] = ("edge", "exchange", "not chained because of", "what to do", "place")
    if explanation.observed is not None:
        heads = ("edge", "exchange", "chained?", "not chained because of")
    for part in tables(heads, [_edge(edge) for edge in edges]):
        yield Section("", part, "edges")


def _edge(edge: EdgeExplanation) -> tuple[str, ...]:
    ends = f"{code(edge.upstream)} to {code(edge.target.label)}", text(edge.ship)
    causes = "<br>".join(f"{o.code} {text(f'{o.slug}: {o.values}')}" for o in edge.obstacles)
    if edge.judgement is not None:
        return *ends, text(edge.judgement.words), causes
    return *ends, causes, f"{_SIGNS[edge.verdict]}<br>{text(_advice(edge))}", code(str(edge.location))


def _advice(edge: EdgeExplanation) -> str:
    if edge.verdict == "broken":
        return "; ".join(edge.changes)
    if edge.repeats is not None:
        return REPEATED.format(edge.repeats.label)
    return NEEDED if edge.verdict == "needed" else FIXED


def _chains(explanation: Explanation) -> Iterator[Section]:
    seen = explanation.observed
    known = seen is None or seen.knows_groups
    rows = [_chain(chain, group=code(chain.slot_sharing_group) if known else "?") for chain in explanation.chains]
    for number, part in enumerate(tables(("task", "operators", "parallelism", "slot sharing group"), rows)):
        yield Section("", details("the chains" if not number else "more chains", part), "chains")


def _chain(chain: ChainExplanation, *, group: str) -> tuple[str, ...]:
    named = [code(link.operator.label) for link in chain.links[:20]]
    more = f" and {len(chain.links) - 20} more" if len(chain.links) > 20 else ""
    words = parallelism_words(chain.parallelism).removeprefix("parallelism ")
    return str(chain.position + 1), f"{' '.join(named)}{more}", text(words), group
