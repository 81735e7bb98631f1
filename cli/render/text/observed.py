"""An observed job as text: its chains, its edges with how certain each verdict is, and what the exports do not say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cli.render.styled import Line, Span, indented, line, table
from cli.render.words import count, parallelism_words
from planner.chaining.registry import BY_CODE
from planner.observed.job import ObservedEdge, ObservedJob
from planner.observed.verdicts import ITERATION, Verdict, check_exported

MODES = {True: "batch", False: "streaming", None: "streaming or batch: the plan does not say"}
HIDDEN = "The plan does not show these. Each of them would break a chain that is expected above"
LONG_CHAIN = 30  # operators listed of one chain


def observed_lines(job: ObservedJob, verdicts: Sequence[Verdict], *, only_broken: bool = False) -> list[Line]:
    """The whole explanation."""
    parts = [[line((job.name, "title"), (f"  {job.origin}; {MODES[job.batch]}", "dim"))]]
    if not only_broken:
        parts.append(chain_lines(job) if job.deployed else _expected_lines(job, verdicts))
    parts += [_edge_part(job, verdicts), _hidden(verdicts), _summary(job, verdicts)]
    filled = [part for part in parts if part]
    return [spans for number, part in enumerate(filled) for spans in ([()] if number else []) + part]


def chain_lines(job: ObservedJob) -> list[Line]:
    """The vertices that Flink made, each with its operators."""
    lines = [line(("Chains", "title"), (" (as Flink deployed them; inside of each all twelve conditions hold)", "dim"))]
    width = len(str(len(job.vertices)))
    for number, vertex in enumerate(job.vertices, start=1):
        facts = [parallelism_words(vertex.parallelism)]
        facts += [f"max parallelism {vertex.max_parallelism}"] if vertex.max_parallelism else []
        facts += [f"slot sharing group {vertex.group[:8]}"] if vertex.group else []
        facts += (
            [f"{vertex.source_kind} source API"] if vertex.source_kind and _begins_at_source(job, number - 1) else []
        )
        lines.append(line(f"  {number:>{width}}. ", (", ".join(facts), "dim"), ("  " + vertex.id, "place")))
        lines += indented(_members(job, number - 1), width + 6)
    return lines


def edge_lines(job: ObservedJob, position: int, verdict: Verdict) -> list[Line]:
    """One edge with all twelve conditions, as far as they are known."""
    rows: list[Sequence[str | Span]] = []
    marks: dict[bool | None, Span] = {False: ("ok", "good"), True: ("NO", "broken"), None: ("?", "needed")}
    for outcome in check_exported(job, position):
        chained = verdict.chained is True and verdict.certainty == "certain"
        mark = marks[False] if chained else marks[outcome.fails]
        rows.append((mark, (outcome.code, "code"), outcome.slug, "" if chained else outcome.words))
    return [*_edge(job, job.edges[position], verdict), *indented(table(rows))]


def _begins_at_source(job: ObservedJob, vertex: int) -> bool:
    members = job.vertices[vertex].members
    return bool(members) and job.operators[members[0]].source


def _members(job: ObservedJob, vertex: int) -> list[Line]:
    entry = job.vertices[vertex]
    depth: dict[int, int] = {}
    rows: list[Sequence[str | Span]] = []
    for member, parent in zip(entry.members, entry.parents, strict=True):
        depth[member] = 0 if parent is None else depth.get(parent, 0) + 1
        operator = job.operators[member]
        told = operator.operator_id or "id not proven"
        rows.append(("  " * depth[member] + operator.name, (told, "place")))
    if len(entry.members) < len(entry.chain):
        certain = Counter(job.operators[one].running_name or job.operators[one].name for one in entry.members)
        twins = (Counter(entry.chain) - certain).elements()
        rows += [(name, ("one of several operators with this name", "place")) for name in twins]
    if len(rows) > LONG_CHAIN:
        rows[LONG_CHAIN - 4 : -3] = [(f"... and {len(rows) - LONG_CHAIN + 1} more", "")]
    return table(rows)


def _expected_lines(job: ObservedJob, verdicts: Sequence[Verdict]) -> list[Line]:
    """What would run together if the program sets nothing that the plan hides."""
    together = list(range(len(job.operators)))
    for edge, verdict in zip(job.edges, verdicts, strict=True):
        if verdict.chained and edge.source is not None:
            _join(together, edge.source, edge.target)
    groups: dict[int, list[int]] = {}
    for operator in range(len(job.operators)):
        groups.setdefault(_root(together, operator), []).append(operator)
    lines = [line(("Expected chains", "title"), (" (a forecast: nothing was deployed yet)", "dim"))]
    for number, members in enumerate(groups.values(), start=1):
        names = ", ".join(job.operators[one].name for one in members)
        lines.append(
            line(
                f"  {number}. ", (names, "operator"), (f"  parallelism {job.operators[members[0]].parallelism}", "dim")
            )
        )
    return lines


def _root(together: list[int], operator: int) -> int:
    while together[operator] != operator:
        together[operator] = together[together[operator]]
        operator = together[operator]
    return operator


def _join(together: list[int], one: int, other: int) -> None:
    first, second = sorted((_root(together, one), _root(together, other)))
    together[second] = first


def _edge_part(job: ObservedJob, verdicts: Sequence[Verdict]) -> list[Line]:
    shown = [(edge, verdict) for edge, verdict in zip(job.edges, verdicts, strict=True) if _is_shown(verdict)]
    if not shown:
        return [line(("Edges", "title"), f": all {len(job.edges)} are chained")] if job.edges else []
    title = "Edges between chains" if job.deployed else "Edges"
    lines = [line((title, "title"), (f" ({len(shown)} of {len(job.edges)})", "dim"))]
    for number, (edge, verdict) in enumerate(shown):
        causes = _causes(verdict)
        lines += indented([*([()] if number and causes else []), *_edge(job, edge, verdict), *indented(causes)])
    return lines


def _is_shown(verdict: Verdict) -> bool:
    return not (verdict.chained and verdict.certainty == "certain")


def _edge(job: ObservedJob, edge: ObservedEdge, verdict: Verdict) -> list[Line]:
    target = job.operators[edge.target]
    sides = f"{_number(job.operators[edge.sources[0]].parallelism)} -> {_number(target.parallelism)}"
    ends = (source_words(job, edge), "operator"), " -> ", (target.name, "operator")
    return [line(*ends, "  ", (edge.ship, "code"), f"  {sides}  ", _verdict(verdict))]


def _number(parallelism: int) -> str:
    return str(parallelism) if parallelism > 0 else "?"


def source_words(job: ObservedJob, edge: ObservedEdge) -> str:
    """The operator in front of an edge; a job plan alone tells only in which chain it is."""
    names = [job.operators[one].name for one in edge.sources]
    return names[0] if len(names) == 1 else f"one of the chain of {names[0]} ({len(names)} operators)"


def _verdict(verdict: Verdict) -> Span:
    match verdict.chained, verdict.certainty:
        case True, "certain":
            return ("certain: chained", "chained")
        case False, "certain":
            return ("certain: not chained", "needed")
        case _, "one of":
            return ("certain: not chained; the cause is one of", "broken")
        case True, _:
            return ("expected: chained", "chained")
        case False, _:
            return ("expected: not chained", "needed")
    return ("expected: chained or not, the plan does not tell", "needed")


def _causes(verdict: Verdict) -> list[Line]:
    if verdict.certainty == "expected":
        words = dict(verdict.facts)
        return [line((code, "code"), f" {words[code]}") for code in verdict.likely]
    if verdict.reasons == (ITERATION,):
        return [line("the end of an iteration: Flink never chains it")]
    words = dict(verdict.facts)
    codes = verdict.reasons or verdict.possible
    rows: list[Sequence[str | Span]] = [
        ((code, "code"), f"{BY_CODE[code].slug}:", words[code] + (" (most likely)" if code in verdict.likely else ""))
        for code in codes
    ]
    lines = table(rows, gap=1)
    if verdict.certainty == "one of":
        ruled_out = [f"{code} ({text})" for code, text in verdict.facts if code not in codes]
        lines.append(line((f"ruled out: {', '.join(ruled_out)}", "dim")))
    return lines


def _hidden(verdicts: Sequence[Verdict]) -> list[Line]:
    """The conditions behind expectations, once for the job."""
    codes = sorted({code for verdict in verdicts if verdict.certainty == "expected" for code in verdict.possible})
    if not codes:
        return []
    rows: list[Sequence[str | Span]] = [((code, "code"), BY_CODE[code].summary) for code in codes]
    return [line((HIDDEN, "title")), *indented(table(rows))]


def _summary(job: ObservedJob, verdicts: Sequence[Verdict]) -> list[Line]:
    chained = sum(verdict.chained is True for verdict in verdicts)
    certain = sum(verdict.certainty == "certain" for verdict in verdicts)
    rows: list[Sequence[str | Span]] = [
        ("operators", str(len(job.operators)), ("", "dim")),
        (
            "edges",
            str(len(job.edges)),
            (f"{chained} chained" if job.deployed else f"{chained} expected to chain", "dim"),
        ),
        ("certain", str(certain), ("of the verdicts", "dim")),
    ]
    if job.deployed:
        told = sum(operator.operator_id is not None for operator in job.operators)
        decided = all(vertex.parallelism > 0 for vertex in job.vertices)
        tasks = count(sum(vertex.parallelism for vertex in job.vertices), "task") if decided else ""
        rows.insert(1, ("chains", str(len(job.vertices)), (tasks, "dim")))
        rows.append(("operator ids", str(told), ("proven", "dim")))
    return [line(("Summary", "title")), *indented(table(rows, right=(1,)))]
