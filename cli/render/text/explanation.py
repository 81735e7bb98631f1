"""The explanation as text: chains, then the edges between them, then the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from cli.render.styled import Line, Span, indented, line, table
from cli.render.words import count, max_parallelism_words, parallelism_words, shell_word
from planner.chaining.registry import BY_CODE
from planner.explanation.chains import ChainExplanation, ChainLink
from planner.explanation.edges import EdgeExplanation, Traffic
from planner.explanation.explain import Explanation
from planner.explanation.summary import Summary
from planner.operators import ORIGIN_WORDS

if TYPE_CHECKING:
    from planner.observed.judgement import Judgement, Observation
    from planner.rules import Checked

REPEATED = "it moves nothing: {} already partitioned the records by this key (PL108); do both in one keyed operator"
NEEDED = "leave it: this exchange is part of what the job computes"
LONG_CHAIN = 30  # operators listed of one chain
FIXED = "no setting of the job would chain it"
HIDDEN = "The plan does not show these. Each of them would break a chain that is expected above"
MODES = {True: "batch", False: "streaming", None: "streaming or batch: the plan does not say"}


def explanation_lines(explanation: Explanation, *, spec: str | None, only_broken: bool = False) -> list[Line]:
    """The whole answer; with `only_broken` just the edges that a change of the job would chain."""
    seen = explanation.observed
    parts = [[line((explanation.name, "title"), *([(origin_words(seen), "dim")] if seen else []))]]
    if only_broken and seen is None:
        return [*parts[0], (), *_broken(explanation, spec)]
    if not only_broken:
        parts.append(_chains(explanation))
    if explanation.python is not None:
        from cli.render.text.python_layer import python_layer_lines  # PyFlink jobs only

        parts.append(python_layer_lines(explanation.python))
    parts.append(_edges(explanation, spec))
    parts.append(hidden_lines(seen) if seen else [])
    parts.append(_summary(explanation))
    filled = [part for part in parts if part]
    return [spans for number, part in enumerate(filled) for spans in ([()] if number else []) + part]


def origin_words(seen: Observation) -> str:
    """What was read about a job that Flink described, and whether it is a streaming or a batch job."""
    return f"  {seen.job.origin}; {MODES[seen.job.batch]}"


def edge_lines(edge: EdgeExplanation, conditions: Sequence[Checked]) -> list[Line]:
    """One edge with all conditions and how each came out."""
    rows: list[Sequence[str | Span]] = [
        (
            _MARKS[condition.holds],
            (condition.code, "code"),
            condition.slug,
            condition.found,
        )
        for condition in conditions
    ]
    held = sum(condition.holds is True for condition in conditions)
    unknown = sum(condition.holds is None for condition in conditions)
    words = f"{held} of {len(conditions)} conditions hold{f', {unknown} are not known' if unknown else ''}: "
    verdict = line(words, _verdict(edge))
    return [*_head(edge), *indented(_traffic(edge)), *indented([verdict, *indented(table(rows)), *_advice(edge, None)])]


_MARKS: dict[bool | None, Span] = {True: ("ok", "good"), False: ("NO", "broken"), None: ("?", "needed")}


def _chains(explanation: Explanation) -> list[Line]:
    seen = explanation.observed
    if seen is not None and not seen.job.deployed:
        lines = [line(("Expected chains", "title"), (" (a forecast: nothing was deployed yet)", "dim"))]
    else:
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
        lines += indented(_chain(chain) if seen is None else _observed_chain(chain, seen), 2 + len(number))
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
    named = any(link.operator.name != link.operator.key for link in chain.links)  # in SQL the names are the keys
    rows = [_link(link, named=named, mixed=mixed, limits=limits) for link in chain.links]
    return [line((", ".join(facts), "dim")), *table(_shortened(rows))]


def _observed_chain(chain: ChainExplanation, seen: Observation) -> list[Line]:
    """A chain of a job that Flink described: only what it tells."""
    facts = [parallelism_words(chain.parallelism)]
    facts += [f"max parallelism {chain.max_parallelism}"] if chain.max_parallelism > 0 else []
    facts += [f"slot sharing group {chain.slot_sharing_group[:8]}"] if seen.knows_groups else []
    facts += [f"{chain.source_api} source API"] if chain.source_api else []
    places = seen.vertices_of(chain.links[0].operator.node) if not chain.id else ()
    told = f"  {chain.id}" if chain.id else f"  one of the vertices {', '.join(places)}" if places else ""
    rows: list[Sequence[str | Span]] = [
        ("  " * link.depth + link.operator.name, (link.operator.operator_id or "id not proven", "place"))
        for link in chain.links
        if seen.job.deployed and len(chain.links) > 1  # a forecast has no ids, and the first has that of the vertex
    ]
    return [line((", ".join(facts), "dim"), (told, "place")), *table(_shortened(rows))]


def _shortened(rows: list[Sequence[str | Span]]) -> list[Sequence[str | Span]]:
    """The beginning and the end of a long chain."""
    if len(rows) <= LONG_CHAIN:
        return rows
    return [*rows[: LONG_CHAIN - 4], (f"... and {len(rows) - LONG_CHAIN + 1} more",), *rows[-3:]]


def _link(link: ChainLink, *, named: bool, mixed: bool, limits: bool) -> Sequence[str | Span]:
    """One operator; where operators of a chain disagree on a setting, this operator's own value."""
    operator = link.operator
    facts = [f"parallelism {ORIGIN_WORDS[operator.parallelism_from]}"] if mixed else []
    facts += [f"own max parallelism {max_parallelism_words(operator.max_parallelism)}"] if limits else []
    origin = ", ".join(facts)
    name = operator.name if named else ""
    return ("  " * link.depth + operator.key, name, (origin, "dim"), (str(operator.location), "place"))


def _edges(explanation: Explanation, spec: str | None) -> list[Line]:
    between = explanation.shown
    chained = explanation.summary.chained_edges
    if not between:
        words = f"all {chained} are chained" if chained != 1 else "the only one is chained"
        return [line(("Edges", "title"), f": {words}, nothing crosses the network")] if chained else []
    title = "Edges" if any(edge.chained for edge in between) else "Edges between chains"
    lines = [line((title, "title"), (f" ({len(between)} of {len(explanation.edges)})", "dim"))]
    for number, edge in enumerate(between):
        explained = edge_explained(edge, spec)
        lines += indented([*([()] if number and len(explained) > 1 else []), *explained])
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
    if edge.judgement is not None:
        return [*_head(edge), *indented(_causes(edge, edge.judgement))]
    rows: list[Sequence[str | Span]] = [((o.code, "code"), f"{o.slug}:", o.values) for o in edge.obstacles]
    because = [line(_verdict(edge), " because of"), *indented(table(rows, gap=1))]
    return [*_head(edge), *indented([*_traffic(edge), *because, *_advice(edge, spec)])]


def _causes(edge: EdgeExplanation, judgement: Judgement) -> list[Line]:
    """What is in the way of a chain in a job that Flink described, what may be, and what was ruled out."""
    if edge.chained:
        return []
    rows: list[Sequence[str | Span]] = [
        ((o.code, "code"), f"{o.slug}:", o.values + (" (most likely)" if o.code in judgement.likely else ""))
        for o in edge.obstacles
    ]
    lines = table(rows, gap=1)
    if judgement.certainty == "one of":
        ruled_out = [f"{code} ({text})" for code, text in judgement.facts if code not in judgement.possible]
        lines.append(line((f"ruled out: {', '.join(ruled_out)}", "dim")))
    return lines


def hidden_lines(seen: Observation) -> list[Line]:
    """The conditions that a forecast cannot see, once for the job."""
    codes = {code for one in seen.judgements if one.certainty == "expected" for code in one.possible}
    if not codes:
        return []
    rows: list[Sequence[str | Span]] = [((code, "code"), BY_CODE[code].summary) for code in sorted(codes)]
    return [line((HIDDEN, "title")), *indented(table(rows))]


def _head(edge: EdgeExplanation) -> list[Line]:
    if edge.judgement is not None:
        sides = " -> ".join(str(ref.parallelism) if ref.parallelism > 0 else "?" for ref in (edge.source, edge.target))
        ends = (edge.upstream, "operator"), " -> ", (edge.target.label, "operator")
        return [line(*ends, "  ", (edge.ship, "code"), f"  {sides}  ", _verdict(edge))]
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
    if edge.judgement is not None:  # who asked for the exchange is not known
        return []
    lines = [line((f"{edge.partitioner} comes from {edge.asked_by}", "dim"))]
    if edge.traffic:
        gates = count(edge.traffic.gates, "input gate")
        sides = f"{edge.source.parallelism} -> {edge.target.parallelism} subtasks"
        figures = f"{sides}: {count(edge.traffic.channels, 'channel')} in {gates}"
        lines.append(line((f"{figures}; network buffers: {buffer_words(edge.traffic)}", "dim")))
    return lines


def _verdict(edge: EdgeExplanation) -> Span:
    if edge.judgement is not None:
        style = "chained" if edge.chained else "broken" if edge.judgement.certainty == "one of" else "needed"
        return (edge.judgement.words, style)
    if edge.chained:
        return ("chained", "chained")
    return ("not chained", "broken" if edge.verdict == "broken" else "needed")


def _advice(edge: EdgeExplanation, spec: str | None) -> Iterable[Line]:
    if edge.chained or edge.judgement is not None:
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
    figures, seen = explanation.summary, explanation.observed
    chained = "expected to chain" if seen is not None and not seen.job.deployed else "chained"
    rows = [
        ("operators", str(figures.operators), ""),
        ("chains", str(figures.chains), f"{figures.chained_edges} of {count(figures.edges, 'edge')} {chained}"),
    ]
    if seen is not None:
        rows += _told(explanation, seen)
    elif figures.tasks is None:
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


def _told(explanation: Explanation, seen: Observation) -> list[tuple[str, str, str]]:
    """How much of a job that Flink described is certain."""
    figures = explanation.summary
    certain = sum(one.certainty == "certain" for one in seen.judgements)
    rows = [] if figures.tasks is None else [("tasks", str(figures.tasks), "subtasks of all chains")]
    rows.append(("certain", str(certain), "of the verdicts"))
    if seen.job.deployed:
        proven = sum(bool(ref.operator_id) for ref in explanation.operators.values())
        rows.append(("operator ids", str(proven), "proven"))
    return rows


def _buffers(explanation: Explanation) -> tuple[str, str]:
    """How many network buffers the job needs and wants, and which edge takes most of them."""
    edges = [(edge, edge.traffic) for edge in explanation.between if edge.traffic]
    if not edges:
        return "0", ""
    edge, traffic = max(edges, key=lambda pair: pair[1].buffers_to_start)
    ends = f"{edge.source.label} -> {edge.target.label}"
    first, _, words = buffer_words(explanation.summary).partition(" ")  # the number stands in its own column
    return first, f"{words}; most on {ends} ({traffic.buffers_to_start})"


def buffer_words(figures: Traffic | Summary) -> str:
    """The fewest buffers with which something starts, by how much crosses task managers, and what it wants."""
    low, high = figures.buffers_to_start, figures.buffers_to_start_apart
    start = f"{low} to start on one task manager" + (f", up to {high} on several" if high != low else "")
    return f"{start}, {figures.buffers_wanted} to run well"
