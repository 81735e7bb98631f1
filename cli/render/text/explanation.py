"""The explanation as text: chains, then the edges between them, then the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cli.render.styled import Line, Span, indented, line, table
from cli.render.words import count, max_parallelism_words, parallelism_words, shell_word
from planner.explanation.chains import ChainExplanation, ChainLink
from planner.explanation.edges import EdgeExplanation, Traffic
from planner.explanation.explain import Explanation
from planner.explanation.summary import Summary
from planner.operators import ORIGIN_WORDS

if TYPE_CHECKING:
    from planner.rules import Checked

REPEATED = "it moves nothing: {} already partitioned the records by this key (PL108); do both in one keyed operator"
NEEDED = "leave it: this exchange is part of what the job computes"
LONG_CHAIN = 30  # operators listed of one chain
FIXED = "no setting of the job would chain it"


def explanation_lines(explanation: Explanation, *, spec: str | None, only_broken: bool = False) -> list[Line]:
    """The whole answer; with `only_broken` just the edges that a change of the job would chain."""
    parts = [[line((explanation.name, "title"))]]
    if only_broken:
        return [*parts[0], (), *_broken(explanation, spec)]
    parts.append(_chains(explanation))
    if explanation.python is not None:
        from cli.render.text.python_layer import python_layer_lines  # PyFlink jobs only

        parts.append(python_layer_lines(explanation.python))
    parts.append(_edges(explanation, spec))
    parts.append(_summary(explanation))
    return [spans for number, part in enumerate(parts) for spans in ([()] if number else []) + part]


def edge_lines(edge: EdgeExplanation, conditions: Sequence[Checked]) -> list[Line]:
    """One edge with all conditions and how each came out."""
    rows: list[Sequence[str | Span]] = [
        (
            ("ok", "good") if condition.holds else ("NO", "broken"),
            (condition.code, "code"),
            condition.slug,
            condition.found,
        )
        for condition in conditions
    ]
    held = sum(condition.holds for condition in conditions)
    verdict = line(f"{held} of {len(conditions)} conditions hold: ", _verdict(edge))
    return [*_head(edge), *indented(_traffic(edge)), *indented([verdict, *indented(table(rows)), *_advice(edge, None)])]


def _chains(explanation: Explanation) -> list[Line]:
    lines = [
        line(
            ("Chains", "title"),
            (" (what runs together as one task; on every edge inside, all twelve conditions hold)", "dim"),
        )
    ]
    width = len(str(len(explanation.chains)))
    for chain in explanation.chains:
        number = f"{chain.position + 1:>{width}}. "
        lines.append(line(f"  {number}", (chain.name, "operator")))
        lines += indented(_chain(chain), 2 + len(number))
    return lines if explanation.chains else [line("no operators: there is nothing to run")]


def _chain(chain: ChainExplanation) -> list[Line]:
    origins = {link.operator.parallelism_from for link in chain.links}
    words = parallelism_words(chain.parallelism)
    mixed = len(origins) > 1
    if not mixed and chain.parallelism > 0:
        words += f" ({ORIGIN_WORDS[chain.links[0].operator.parallelism_from]})"
    facts = [words, f"slot sharing group {chain.slot_sharing_group}"]
    if chain.max_parallelism > 0:
        facts.insert(1, f"max parallelism {chain.max_parallelism}")
    if chain.co_location_group is not None:
        facts.append("co-located")
    limits = len({link.operator.max_parallelism for link in chain.links}) > 1
    rows = [_link(link, mixed=mixed, limits=limits) for link in chain.links]
    if len(rows) > LONG_CHAIN:
        more: Sequence[str | Span] = (f"... and {len(rows) - LONG_CHAIN + 1} more", "", "", "")
        rows[LONG_CHAIN - 4 : -3] = [more]
    return [line((", ".join(facts), "dim")), *table(rows)]


def _link(link: ChainLink, *, mixed: bool, limits: bool) -> Sequence[str | Span]:
    """One operator; where operators of a chain disagree on a setting, this operator's own value."""
    operator = link.operator
    facts = [f"parallelism {ORIGIN_WORDS[operator.parallelism_from]}"] if mixed else []
    facts += [f"own max parallelism {max_parallelism_words(operator.max_parallelism)}"] if limits else []
    origin = ", ".join(facts)
    return ("  " * link.depth + operator.key, operator.name, (origin, "dim"), (str(operator.location), "place"))


def _edges(explanation: Explanation, spec: str | None) -> list[Line]:
    between = explanation.between
    chained = explanation.summary.chained_edges
    if not between:
        words = f"all {chained} are chained" if chained != 1 else "the only one is chained"
        return [line(("Edges", "title"), f": {words}, nothing crosses the network")] if chained else []
    lines = [line(("Edges between chains", "title"), (f" ({len(between)} of {len(explanation.edges)})", "dim"))]
    for number, edge in enumerate(between):
        lines += indented([*([()] if number else []), *edge_explained(edge, spec)])
    return lines


def _broken(explanation: Explanation, spec: str | None) -> list[Line]:
    """The edges that a change would chain; the exchanges that the result needs are only counted."""
    broken = [edge for edge in explanation.between if edge.verdict == "broken"]
    others = len(explanation.between) - len(broken)
    needed = f"; {count(others, 'other exchange')} {'has' if others == 1 else 'have'} to stay" if others else ""
    if not broken:
        return [line(("Edges that a change would chain", "title"), f": none{needed}")]
    head = f" ({len(broken)} of {count(len(explanation.edges), 'edge')}{needed})"
    lines = [line(("Edges that a change would chain", "title"), (head, "dim"))]
    for number, edge in enumerate(broken):
        lines += indented([*([()] if number else []), *edge_explained(edge, spec)])
    return lines


def edge_explained(edge: EdgeExplanation, spec: str | None) -> list[Line]:
    """One edge that is not chained: who asked for it, what it costs, its obstacles, what to do."""
    rows: list[Sequence[str | Span]] = [((o.code, "code"), f"{o.slug}:", o.values) for o in edge.obstacles]
    because = [line(_verdict(edge), " because of"), *indented(table(rows, gap=1))]
    return [*_head(edge), *indented([*_traffic(edge), *because, *_advice(edge, spec)])]


def _head(edge: EdgeExplanation) -> list[Line]:
    extra = f" side output {edge.side_output}" if edge.side_output is not None else ""
    if edge.type_number:
        extra += f" input {edge.type_number}"
    return [
        line(
            (edge.source.label, "operator"), " -> ", (edge.target.label, "operator"), extra,
            "  ", (edge.partitioner, "code"), "  ", (str(edge.location), "place"),
        )
    ]  # fmt: skip


def _traffic(edge: EdgeExplanation) -> list[Line]:
    lines = [line((f"{edge.partitioner} comes from {edge.asked_by}", "dim"))]
    if edge.traffic:
        gates = count(edge.traffic.gates, "input gate")
        sides = f"{edge.source.parallelism} -> {edge.target.parallelism} subtasks"
        figures = f"{sides}: {count(edge.traffic.channels, 'channel')} in {gates}"
        lines.append(line((f"{figures}; network buffers: {buffer_words(edge.traffic)}", "dim")))
    return lines


def _verdict(edge: EdgeExplanation) -> Span:
    if edge.chained:
        return ("chained", "chained")
    return ("not chained", "broken" if edge.verdict == "broken" else "needed")


def _advice(edge: EdgeExplanation, spec: str | None) -> Iterable[Line]:
    if edge.chained:
        return []
    if edge.verdict != "broken":
        if edge.repeats is not None:
            return [line((REPEATED.format(edge.repeats.label), "change"))]
        return [line((NEEDED if edge.verdict == "needed" else FIXED, "needed"))]
    changes = edge.changes
    if not changes and edge.advice is not None:
        return [line("to chain it: ", (edge.advice.why_not or "", "needed"))]
    lines = [line("to chain it: ", (changes[0], "change"))]
    lines += [line("         and: ", (change, "change")) for change in changes[1:]]
    if edge.advice is not None:
        lines.append(line(("that makes:  ", "dim"), (edge.advice.effect, "dim")))
    if spec and edge.settings:
        options = " ".join(f"--set {shell_word(setting)}" for setting in edge.settings)
        lines.append(line(("try: ", "dim"), (f"plan explain {shell_word(spec)} {options}", "dim")))
    return lines


def _summary(explanation: Explanation) -> list[Line]:
    figures = explanation.summary
    rows = [
        ("operators", str(figures.operators), ""),
        ("chains", str(figures.chains), f"{figures.chained_edges} of {count(figures.edges, 'edge')} chained"),
    ]
    if figures.tasks is None:
        rows.append(("tasks", "?", "batch mode decides the missing parallelisms at run time"))
    else:
        groups = ", ".join(f"{group} {slots}" for group, slots in figures.slots_by_group)
        rows += [
            ("tasks", str(figures.tasks), "subtasks of all chains"),
            ("channels", str(figures.channels), "between subtasks of different chains"),
            ("slots", str(figures.slots), f"by slot sharing group: {groups}" if groups else ""),
            ("network buffers", *_buffers(explanation)),
        ]
    return [line(("Summary", "title")), *indented(table([(a, b, (c, "dim")) for a, b, c in rows], right=(1,)))]


def _buffers(explanation: Explanation) -> tuple[str, str]:
    """How many network buffers the job needs and wants, and which edge takes most of them."""
    edges = [(edge, edge.traffic) for edge in explanation.between if edge.traffic]
    if not edges:
        return "0", ""
    edge, traffic = max(edges, key=lambda pair: pair[1].buffers_to_start)
    ends = f"{edge.source.label} -> {edge.target.label}"
    words = f"{buffer_words(explanation.summary)}; most on {ends} ({traffic.buffers_to_start})"
    return str(explanation.summary.buffers_to_start), words


def buffer_words(figures: Traffic | Summary) -> str:
    """The fewest buffers with which something starts, by how much crosses task managers, and what it wants."""
    low, high = figures.buffers_to_start, figures.buffers_to_start_apart
    start = f"{low} to start on one task manager" + (f", up to {high} on several" if high != low else "")
    return f"{start}, {figures.buffers_wanted} to run well"
