"""A schedule as text: a table of what waits for what, and a small timeline of states."""

from __future__ import annotations

from collections.abc import Sequence

from cli.render.folding import span
from cli.render.styled import Line, Span, indented, line, table
from cli.render.words import count
from planner.deployment.layout import Range
from planner.deployment.schedule import Execution, ExecutionState, Schedule, Strategy, Wait

__all__ = ["ranges", "schedule_lines"]

MOST_ROWS = 30
MOST_STEPS = 60  # columns of the timeline
MOST_RANGES = 6
TITLES: dict[Strategy, str] = {
    "eager": "eager: everything at once, deployed when every slot is there",
    "lazy": "lazy: from the sources, a vertex when its inputs run or, where they are blocking, are finished",
    "regions": "by pipelined region: each when the blocking results it reads are finished",
}
MARKS: dict[ExecutionState, str] = {
    "CREATED": ".",
    "SCHEDULED": "s",
    "DEPLOYING": "d",
    "RUNNING": "R",
    "FINISHED": "F",
}
MARK_STYLES: dict[ExecutionState, str] = {"CREATED": "dim", "RUNNING": "good", "FINISHED": "dim"}


def schedule_lines(schedule: Schedule, names: Sequence[str]) -> list[Line]:
    """The schedule's table and timeline."""
    shown = schedule.executions[:MOST_ROWS]
    rest = len(schedule.executions) - len(shown)
    more = [line((f"  ... and {count(rest, 'row')} more", "dim"))] if rest else []
    return [
        line(("Schedule", "title"), (f" ({TITLES[schedule.strategy]})", "dim")),
        *indented(_table(schedule, shown, names)),
        *more,
        (),
        *indented(_timeline(schedule, shown, names)),
    ]


def _table(schedule: Schedule, shown: Sequence[Execution], names: Sequence[str]) -> list[Line]:
    ends = any(execution.finished is not None for execution in shown)
    heads = ("", "", "subtasks", "SCHEDULED", "DEPLOYING", "RUNNING", "FINISHED" if ends else "", "waits for")
    rows: list[Sequence[str | Span]] = [tuple((word, "dim") for word in heads)]
    for execution in shown:
        rows.append(
            (
                f"{execution.vertex + 1}.", (names[execution.vertex], "operator"), ranges(execution.subtasks),
                "" if execution.never else str(execution.scheduled),
                "" if execution.running is None else str(execution.scheduled + 1),
                "" if execution.running is None else str(execution.running),
                "" if execution.finished is None else str(execution.finished),
                _waits(execution, names) or _nothing(schedule.strategy),
            )
        )  # fmt: skip
    return table(rows, right=(0, 3, 4, 5, 6))


def _nothing(strategy: Strategy) -> str:
    return "all slots" if strategy == "eager" else "nothing"


def _waits(execution: Execution, names: Sequence[str]) -> str:
    if execution.waits:
        return "slots that are not there"
    words = [_wait(wait, execution.vertex, names) for wait in execution.waits_for[:MOST_RANGES]]
    more = len(execution.waits_for) - len(words)
    return ", ".join([*words, *([f"{more} more"] if more else [])])


def _wait(wait: Wait, vertex: int, names: Sequence[str]) -> str:
    which = names[wait.vertex] if wait.every else f"what it reads of {names[wait.vertex]}"
    through = "" if wait.through == vertex else f" (read by {names[wait.through]}, of its region)"
    return f"{which} {wait.state}{through}"


def ranges(subtasks: tuple[Range, ...] | None) -> str:
    """Ranges of subtasks in words; "?" while they are not decided."""
    if subtasks is None:
        return "?"
    shown = ",".join(span(*subtask) for subtask in subtasks[:MOST_RANGES])
    return shown if len(subtasks) <= MOST_RANGES else f"{shown},.. to {subtasks[-1][1]}"


def _timeline(schedule: Schedule, shown: Sequence[Execution], names: Sequence[str]) -> list[Line]:
    """One column per step, one row per line of the table."""
    steps = range(min(schedule.last_step, MOST_STEPS) + 1)
    labels = [f"{execution.vertex + 1}. {names[execution.vertex]}[{ranges(execution.subtasks)}]" for execution in shown]
    width = max((len(label) for label in labels), default=0)
    lines = [line("step".ljust(width), "  ", ("".join(str(step % 10) for step in steps), "dim"))]
    for label, execution in zip(labels, shown, strict=True):
        lines.append(line(label.ljust(width), "  ", *_marks(execution, steps)))
    lines.append(line((", ".join(f"{mark} {state}" for state, mark in MARKS.items()), "dim")))
    if schedule.last_step > MOST_STEPS:
        lines.append(line((f"the timeline ends at step {MOST_STEPS} of {schedule.last_step}", "dim")))
    return lines


def _marks(execution: Execution, steps: range) -> list[Span]:
    states = [execution.state(step) for step in steps]
    return [(MARKS[state], MARK_STYLES.get(state, "change")) for state in states]
