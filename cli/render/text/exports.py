"""Flink's exports as text: chains, edges with how certain each verdict is, stages, drift, live figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cli.render.styled import Line, Span, indented, line, table
from cli.render.words import count, memory_words, parallelism_words
from planner.chaining.registry import BY_CODE
from planner.frontends.flink_export.live import LiveFigures, VertexFigures
from planner.observed.document import ObservedChain
from planner.observed.drift import DeployedJob, Drift
from planner.observed.job import ObservedEdge, ObservedJob, ObservedVertex
from planner.observed.pressure import Heat, find_pile_ups, flow_of, heat_of
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
            _short_verdict(verdict),
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


def _short_verdict(verdict: Verdict) -> Span:
    if verdict.chained is None:
        return ("chained or not", "needed")
    if verdict.chained:
        return ("chained", "chained")
    codes = " ".join(verdict.reasons) or f"one of {' '.join(verdict.possible)}"
    return (f"not chained: {codes}", "broken")


_STATE = "state would be lost or refused, or may be, if the plan were deployed with the running job's state"


def drift_lines(
    planned: str, running: str, before: DeployedJob, after: DeployedJob, drift: Sequence[Drift]
) -> list[Line]:
    """The whole comparison."""
    head = [
        line((after.name, "title")),
        *indented(table([(("planned", "dim"), planned), (("running", "dim"), running)])),
        (),
    ]
    if not drift:
        what = count(len(after.vertices) or len(after.operators), "task" if after.vertices else "operator")
        return [*head, line(("no drift", "good"), f": {what} as planned, {_compared(before, after)}")]
    touched = [one for one in drift if one.state]
    lines = [*head, line((count(len(drift), "difference"), "broken"), f" ({_compared(before, after)} compared)")]
    if touched:
        lines += indented([line((_STATE, "warning")), *indented(_rows(touched))])
    rest = [one for one in drift if not one.state]
    if rest:
        lines += indented([line(("state is kept", "dim")), *indented(_rows(rest))])
    return lines


def _rows(drift: Sequence[Drift]) -> list[Line]:
    rows: list[Sequence[str | Span]] = [((one.kind, "code"), (one.subject, "operator"), one.message) for one in drift]
    return table(rows)


def _compared(before: DeployedJob, after: DeployedJob) -> str:
    parts = ["parallelism", "ship strategies"]
    if before.vertices and after.vertices:
        parts = ["chains", "ids", *parts]
    if before.slots is not None and after.slots is not None:
        parts.append("slots")
    return ", ".join(parts)


STYLES: dict[Heat, str] = {"hot": "broken", "warm": "needed", "blocked": "warning", "calm": ""}
MOST_SUBTASKS = 16


def live_lines(job: ObservedJob, live: LiveFigures) -> list[Line]:
    """The figures of every vertex, and where records pile up."""
    since = f", for {_duration(live.duration)}" if live.duration is not None else ""
    lines = [line(("Live figures", "title"), (f" ({live.state}{since})", "dim"))]
    figures = {vertex.id: vertex for vertex in live.vertices}
    for number, vertex in enumerate(job.vertices, start=1):
        own = figures.get(vertex.id)
        if own is not None:
            lines += [*([()] if number > 1 else []), *indented(_vertex(job, vertex, number, own))]
    return [*lines, (), *_pile_ups(job, live)]


def _vertex(job: ObservedJob, vertex: ObservedVertex, number: int, figures: VertexFigures) -> list[Line]:
    heat = heat_of(figures)
    name = job.operators[vertex.members[0]].name if vertex.members else figures.name
    more = f" and {len(vertex.members) - 1} chained" if len(vertex.members) > 1 else ""
    lines = [line(f"{number}. ", (f"{name}{more}", "operator"), "  ", (f"{_load(figures)}  {heat}", STYLES[heat]))]
    if figures.state_size is not None:
        took = f", checkpointed in {_duration(figures.checkpoint_duration)}" if figures.checkpoint_duration else ""
        lines += indented([line((f"state {memory_words(figures.state_size)}{took}", "dim"))], 3)
    return [*lines, *indented(_subtasks(figures), 3), *indented(_operators(job, vertex, figures), 3)]


def _load(figures: VertexFigures) -> str:
    words = (("busy", "busy"), ("backpressured", "backpressured"), ("idle", "idle"))
    parts = [f"{name} {_percent(figures.average(what))}" for what, name in words]
    return ", ".join(parts)


def _subtasks(figures: VertexFigures) -> list[Line]:
    if len(figures.subtasks) < 2:
        return []
    shown = sorted(figures.subtasks, key=lambda one: -(one.busy or 0.0))[:MOST_SUBTASKS]
    rows: list[Sequence[str | Span]] = [
        (f"subtask {one.subtask}", f"busy {_percent(one.busy)}", f"backpressured {_percent(one.backpressured)}",
         f"idle {_percent(one.idle)}")
        for one in sorted(shown, key=lambda one: one.subtask)
    ]  # fmt: skip
    rest = len(figures.subtasks) - len(shown)
    return [*table(rows), *([line((f"... and {rest} less busy ones", "dim"))] if rest else [])]


def _operators(job: ObservedJob, vertex: ObservedVertex, figures: VertexFigures) -> list[Line]:
    rows: list[Sequence[str | Span]] = []
    for member in vertex.members:
        operator = job.operators[member]
        flow = flow_of(figures, operator.running_name or operator.name)
        if flow is not None:
            rows.append(
                (job.operators[member].name, f"{_records(flow.records_in)} in", f"{_records(flow.records_out)} out")
            )
    if not rows:
        rows = [("records", f"{_records(figures.records_in)} in", f"{_records(figures.records_out)} out")]
    return table(rows, right=(1, 2))


def _pile_ups(job: ObservedJob, live: LiveFigures) -> list[Line]:
    found = find_pile_ups(job, live)
    if not found:
        return [line(("Records pile up nowhere", "good"), ": no busy vertex holds another one up")]
    lines = [line(("Records pile up", "title"))]
    for one in found:
        held = ", ".join(f"{name} ({_percent(share)})" for name, share in one.held_up)
        lines.append(
            line(
                "  in front of ",
                (one.operator, "broken"),
                f", which is busy {_percent(one.busy)}; backpressured: {held}",
            )
        )
    return lines


def _percent(share: float | None) -> str:
    return "?" if share is None else f"{share * 100:.0f}%"


def _records(number: int | None) -> str:
    return "?" if number is None else f"{number:,}".replace(",", " ")


def _duration(milliseconds: int | None) -> str:
    if milliseconds is None:
        return "?"
    if milliseconds < 1_000:
        return f"{milliseconds} ms"
    seconds = milliseconds // 1_000
    hours, rest = divmod(seconds, 3_600)
    return (
        f"{hours} h {rest // 60} min" if hours else f"{rest // 60} min {rest % 60} s" if rest >= 60 else f"{seconds} s"
    )
