"""A failure as text: what restarts together and why, what is computed again, what is kept."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.folding import fold_groups, span
from cli.render.styled import Line, Span, indented, line, table
from cli.render.text.schedule import ranges
from cli.render.words import count
from planner.deployment.failover import RELEASE_OPTION, Failover, Reason, RegionRestart, ResultPart
from planner.deployment.layout import Layout

__all__ = ["failover_lines"]

MOST_ROWS = 20
REASONS: dict[Reason, str] = {
    "failed": "failed",
    "task-manager-lost": "ran on the lost task manager",
    "result-lost": "its result was lost and is needed again",
    "result-released": "its result was released when its readers had finished, and is needed again",
    "consumer": "reads a restarting region",
}


def failover_lines(failover: Failover, layout: Layout, names: Sequence[str]) -> list[Line]:
    """One failure, and what follows from it."""
    vertex, subtask = failover.subtask
    lost = f" with task manager {failover.lost_task_manager}" if failover.lost_task_manager is not None else ""
    figures = f"{count(failover.subtasks, 'subtask')} in {count(len(failover.restarts), 'region')} restart"
    figures += "s" if len(failover.restarts) == failover.subtasks == 1 else ""
    lines = [
        line(("Failure", "title"), f" of {names[vertex]}[{subtask}]{lost}: {figures}, {failover.untouched} do not")
    ]
    lines += indented(_restarts(failover.restarts, layout, names))
    return [*lines, *indented(_again(failover, layout, names))]


def _restarts(restarts: Sequence[RegionRestart], layout: Layout, names: Sequence[str]) -> list[Line]:
    """Regions restarted for one reason, neighbours that follow a pattern folded."""
    rows: list[Sequence[str | Span]] = []
    for reason in REASONS:
        chosen = [restart.region for restart in restarts if restart.reason == reason]
        for run in fold_groups([layout.physical.failover_regions[region] for region in chosen], names):
            label = f"region{'' if run.length == 1 else 's'} {_numbers(chosen[run.first : run.last + 1])}"
            rows.append((label, (REASONS[reason], "bad" if reason == "failed" else ""), run.text))
    more = len(rows) - MOST_ROWS
    return [*table(rows[:MOST_ROWS]), *([line((f"... and {count(more, 'row')} more", "dim"))] if more > 0 else [])]


def _numbers(regions: Sequence[int]) -> str:
    neighbours = regions[-1] - regions[0] + 1 == len(regions)
    return span(regions[0], regions[-1]) if neighbours else f"{regions[0]}..{regions[-1]} ({len(regions)} of them)"


def _again(failover: Failover, layout: Layout, names: Sequence[str]) -> list[Line]:
    since = "from its beginning" if layout.job_graph.dynamic else "since the last checkpoint"
    rows: list[Sequence[str | Span]] = []
    if failover.read_again:
        sources = ", ".join(f"{names[vertex]}[{ranges(subtasks)}]" for vertex, subtasks in failover.read_again)
        rows.append(("read again:", f"the input of {sources}, {since}"))
    rows += [("computed again:", _part(part, names)) for part in failover.recomputed[:MOST_ROWS]]
    rows += [("kept, read once more:", _part(part, names)) for part in failover.kept[:MOST_ROWS]]
    if failover.waiting:
        rows.append(("not begun:", f"{count(failover.waiting, 'subtask')} behind it, which keep their first attempt"))
    if any(restart.reason == "result-released" for restart in failover.restarts):
        rows.append(("to keep results:", f"{RELEASE_OPTION}: false (they stay until the job ends)"))
    return table(rows)


def _part(part: ResultPart, names: Sequence[str]) -> str:
    return f"{names[part.producer]}[{ranges(part.partitions)}] for {names[part.consumer]}"
