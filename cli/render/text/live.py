"""Live figures of a running job as text: how busy each vertex is, and where records pile up."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.styled import Line, Span, indented, line, table
from cli.render.words import memory_words, records_words
from planner.frontends.flink_export.live import LiveFigures, VertexFigures
from planner.observed.job import ObservedJob, ObservedVertex
from planner.observed.pressure import Heat, find_pile_ups, flow_of, heat_of

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
                (
                    job.operators[member].name,
                    f"{records_words(flow.records_in)} in",
                    f"{records_words(flow.records_out)} out",
                )
            )
    if not rows:
        rows = [("records", f"{records_words(figures.records_in)} in", f"{records_words(figures.records_out)} out")]
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
                "  upstream of ",
                (one.operator, "broken"),
                f", which is busy {_percent(one.busy)}; backpressured: {held}",
            )
        )
    return lines


def _percent(share: float | None) -> str:
    return "?" if share is None else f"{share * 100:.0f}%"


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
